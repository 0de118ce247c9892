#include "api/explore/mpi_leader.h"

#include "api/attempts/group_explore.h"
#include "api/explore/search_command.h"
#include "api/processes.h"
#include "checkpoint/fields.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "engine/snapshot/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the command --------------------------------------------------------------------------------- */

static void write_text(struct byte_buffer *to, const char *text) { byte_buffer_add(to, text, strlen(text) + 1); }

static void write_sources(struct byte_buffer *to, const struct source *source) {
  char length[32];
  for (; source; source = source->next) {
    snprintf(length, sizeof length, "%zu", source->length);
    write_text(to, source->name);
    write_text(to, length);
    byte_buffer_add(to, source->text, source->length);
  }
}

/* Also guesses: all processes check the same model. */
static bool is_sent(const floe_constant *constant) { return constant->given || constant->guessed; }

static void write_constants(struct byte_buffer *to, const floe_model *model) {
  char value[32];
  for (size_t i = 0; i < floe_model_constants(model); i++) {
    const floe_constant constant = floe_model_constant(model, i);
    if (!is_sent(&constant))
      continue;
    snprintf(value, sizeof value, "%" PRId64, constant.value);
    write_text(to, constant.name);
    write_text(to, value);
  }
}

static uint32_t count_sent(const floe_model *model) {
  uint32_t n = 0;
  for (size_t i = 0; i < floe_model_constants(model); i++) {
    const floe_constant constant = floe_model_constant(model, i);
    n += is_sent(&constant);
  }
  return n;
}

static struct search_command command_of(const struct exploration *e, const struct engine_task *task) {
  const floe_options *options = task->options;
  const double left = task->limits.started + options->timeout - clock_seconds();
  return (struct search_command){.command = COMMAND_EXPLORE_STATES,
                                 .constant_count = count_sent(e->api_model),
                                 .interpreted = options->engine == FLOE_ENGINE_INTERPRETER,
                                 .index_keys = e->layout->encoding != NULL,
                                 .on_cpus = options->engine == FLOE_ENGINE_GPU && task->devices.count == 0,
                                 .any_table = task->any_table,
                                 .archived = task->archive != NULL,
                                 .checkpointed = task->group.saves,
                                 .recorded = task->group.records,
                                 .resumed_states = task->group.restored_states,
                                 .keep_going = options->keep_going,
                                 .max_depth = options->max_depth,
                                 .slot_bits = options->slot_bits,
                                 .bucket_slots = options->bucket_slots,
                                 .properties = task->property_mask,
                                 .max_states = options->max_states,
                                 .initial_slots = options->initial_slots,
                                 .expected_states = options->expected_states,
                                 .files = (uint32_t)floe_model_includes(e->api_model) + 1,
                                 .seconds_left = options->timeout > 0 ? (left > 0.001 ? left : 0.001) : 0};
}

static floe_status send_command(const struct exploration *e, const struct engine_task *task) {
  struct comm *comm = processes_comm();
  const struct search_command command = command_of(e, task);
  struct byte_buffer to = {0};
  byte_buffer_add(&to, &command, sizeof command);
  write_text(&to, task->options->table);
  write_text(&to, task->options->permutation ? task->options->permutation : "");
  write_sources(&to, &e->api_model->source);
  write_constants(&to, e->api_model);
  if (!to.failed) {
    comm_next_epoch(comm);
    comm_send_all(comm, MSG_COMMAND, 0, to.bytes, to.n);
  }
  mem_free(to.bytes);
  return to.failed ? FLOE_ERROR_MEMORY : comm->status;
}

/* ---- the search ---------------------------------------------------------------------------------- */

static floe_status log_unsupported(const struct exploration *e, const char *what, const char *hint) {
  diag_error(e->log, NULL, NOWHERE, hint, "several processes %s", what);
  return FLOE_ERROR_USAGE;
}

floe_status mpi_leader_check(const struct exploration *e) {
  if (e->options.engine == FLOE_ENGINE_GPU && e->host_backed)
    return log_unsupported(e, "cannot use a host-backed visited set on GPUs",
                           "use a hash table, or run without mpirun");
  if (e->visited_order.file && e->options.order_kind == FLOE_ORDER_LOOKUPS)
    return log_unsupported(e, "cannot record lookups", "record the order of states, or run without mpirun");
  if (e->options.engine == FLOE_ENGINE_GPU && (e->checkpoint.policy.path || e->checkpoint.from) &&
      e->layout->key_words > 1)
    return log_unsupported(e, "cannot checkpoint states of several words on GPUs", "use --engine=cpu");
  return FLOE_OK;
}

floe_status mpi_leader_run(struct exploration *e, struct attempts *attempts, struct engine_outcome *out) {
  struct engine_task *task = &attempts->task;
  task->group.saves = task->snapshot.policy != NULL;
  task->group.records = task->recorder != NULL;
  task->group.restored_states = task->snapshot.from ? snapshot_states(task) : 0;
  floe_status status = send_command(e, task);
  if (status == FLOE_OK)
    status = group_explore(attempts, FLOE_OK, e->log, out);
  if (status == FLOE_OK && out->end == FLOE_END_INTERRUPT) {
    if (!e->traces.begun)
      interrupt_expect(); /* it may have reached another process first */
    atomic_store(task->limits.interrupt, true);
  }
  return status;
}
