#include "api/explore/mpi_leader.h"

#include "api/explore/group_setup.h"
#include "api/explore/search_command.h"
#include "api/processes.h"
#include "checkpoint/identity.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/multi/first_attempt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the command --------------------------------------------------------------------------------- */

/* Growing byte buffer. */
struct command_buffer {
  unsigned char *bytes;
  size_t length, capacity;
  bool failed; /* out of memory */
};

static void write_bytes(struct command_buffer *to, const void *bytes, size_t n) {
  if (to->length + n > to->capacity) {
    const size_t capacity = 2 * (to->length + n);
    unsigned char *larger = mem_resize(to->bytes, capacity);
    to->failed = to->failed || !larger;
    if (!larger)
      return;
    to->bytes = larger;
    to->capacity = capacity;
  }
  memcpy(to->bytes + to->length, bytes, n);
  to->length += n;
}

static void write_text(struct command_buffer *to, const char *text) { write_bytes(to, text, strlen(text) + 1); }

static void write_constants(struct command_buffer *to, const floe_model *model) {
  char value[32];
  for (size_t i = 0; i < floe_model_constants(model); i++) {
    const floe_constant constant = floe_model_constant(model, i);
    if (!constant.given)
      continue;
    snprintf(value, sizeof value, "%" PRId64, constant.value);
    write_text(to, constant.name);
    write_text(to, value);
  }
}

static uint32_t count_given(const floe_model *model) {
  uint32_t n = 0;
  for (size_t i = 0; i < floe_model_constants(model); i++)
    n += floe_model_constant(model, i).given;
  return n;
}

static struct search_command command_of(const struct exploration *e, const struct engine *engine,
                                        const struct engine_task *task) {
  const floe_options *options = task->options;
  const double left = task->limits.started + options->timeout - clock_seconds();
  return (struct search_command){.command = COMMAND_EXPLORE_STATES,
                                 .constant_count = count_given(e->api_model),
                                 .interpreted = options->engine == FLOE_ENGINE_INTERPRETER,
                                 .index_keys = e->layout->encoding != NULL,
                                 .on_cpus = engine == engine_for(0) && options->engine == FLOE_ENGINE_GPU,
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
                                 .text_length = e->api_model->source.length,
                                 .seconds_left = options->timeout > 0 ? (left > 0.001 ? left : 0.001) : 0};
}

static floe_status send_command(const struct exploration *e, const struct engine *engine,
                                const struct engine_task *task) {
  struct comm *comm = processes_comm();
  const struct search_command command = command_of(e, engine, task);
  struct command_buffer to = {NULL, 0, 0, false};
  write_bytes(&to, &command, sizeof command);
  write_text(&to, task->options->table);
  write_text(&to, task->options->permutation ? task->options->permutation : "");
  write_text(&to, floe_model_file(e->api_model));
  write_bytes(&to, e->api_model->source.text, e->api_model->source.length);
  write_constants(&to, e->api_model);
  if (!to.failed) {
    comm_next_epoch(comm);
    comm_send_all(comm, MSG_COMMAND, 0, to.bytes, to.length);
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

/* All members prepare and explore; this is process 0's part. */
static floe_status run_collectively(struct exploration *e, struct engine_task *task, struct group_setup *setup,
                                    struct hello *mine, floe_log *log, struct engine_outcome *out) {
  const bool second_pass = task->archive != NULL;
  const struct engine *engine = NULL;
  struct search *search = NULL;
  if (mine->status == FLOE_OK) {
    engine = group_setup_join(setup, task, mine);
    mine->status = (uint32_t)engine->prepare(task, log, &search);
  }
  floe_status status = group_setup_confirm(setup, mine, e->log, second_pass);
  if (status == FLOE_OK)
    status = engine->explore(search, out);
  if (search)
    engine->drop(search);
  return status;
}

/* After the command was sent. */
static floe_status run_commanded(struct exploration *e, struct engine_task *task, struct group_setup *setup,
                                 floe_log *log, struct engine_outcome *out) {
  struct hello mine = {.status = FLOE_OK, .devices = task->devices.count};
  struct first_attempt first = {.search = NULL};
  floe_status status;
  bool suffices = false;
  checkpoint_identity(e->model, e->layout, mine.digest);
  FLOE_TRY(group_setup_gather(setup, task, &mine, e->log, task->archive != NULL));
  if (group_setup_begins_alone(setup, task))
    suffices = first_attempt_lead(&first, task, setup->size, log, out, &status);
  if (!suffices) {
    status = run_collectively(e, task, setup, &mine, log, out);
    if (status == FLOE_OK)
      first_attempt_add_times(&first, out);
  }
  if (status == FLOE_OK && out->end == FLOE_END_INTERRUPT)
    floe_interrupt(); /* the interrupt may have reached another process: it ends the rest of this exploration, too */
  return status;
}

floe_status mpi_leader_run(struct exploration *e, const struct engine *engine, const struct engine_task *own,
                           floe_log *log, struct engine_outcome *out) {
  if (!own->group.comm)
    return engine_run(engine, own, log, out);
  struct group_setup setup = {.counts = NULL};
  struct engine_task task = *own;
  if (engine == engine_for(0))
    task.devices.count = 0;
  task.group.saves = task.snapshot.policy != NULL;
  task.group.records = task.recorder != NULL;
  task.group.restored_states = task.snapshot.from ? snapshot_states(&task) : 0;
  floe_status status = send_command(e, engine, &task);
  if (status == FLOE_OK)
    status = run_commanded(e, &task, &setup, log, out);
  group_setup_free(&setup);
  return status;
}
