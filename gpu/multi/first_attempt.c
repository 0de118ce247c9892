#include "gpu/multi/first_attempt.h"

#include "core/mem.h"
#include "engine/comm/heartbeat.h"
#include "engine/trace/level_archive.h"
#include "gpu/engine/sizing_policy.h"
#include "gpu/jit/gpu_api.h"

#include <assert.h>

/* ---- one device ------------------------------------------------------------------------------ */

static struct engine_task task_of_first(const struct engine_task *task) {
  struct engine_task own = *task;
  own.devices.count = 1;
  own.devices.others = NULL;
  own.group.comm = NULL;
  own.group.peers = NULL;
  own.group.links = NULL;
  own.group.member_counts = NULL;
  own.group.owner_mask = NULL;
  own.group.saves = own.group.records = false; /* nothing for a group */
  return own;
}

bool first_attempt_possible(const struct engine_task *task) {
  const floe_options *options = task->options;
  const struct policy_search search = {
      .table = {.scheme = options->table, .key_bits = task->layout->key_bits, .keys = task->layout->keys}};
  return task->layout->key_words > 1 || !table_traits(options->table)->every_key ||
         policy_one_holds(&search, gpu_memory_budget(task->devices.gpus[0], options->gpu_memory, 0));
}

floe_status first_attempt_prepare(struct first_attempt *attempt, const struct engine_task *task, floe_log *log) {
  assert(task->devices.count > 0 && !task->snapshot.from && !task->devices.host_backed);
  *attempt = (struct first_attempt){.task = task_of_first(task)};
  attempt->task.devices.may_escalate = true;
  attempt->task.devices.escalate_from = task->devices.others ? task->devices.others->from : 0;
  return engine_gpu.prepare(&attempt->task, log, &attempt->search);
}

void first_attempt_drop(struct first_attempt *attempt) {
  engine_gpu.drop(attempt->search);
  attempt->search = NULL;
}

static void clear_records(const struct engine_task *task) {
  if (task->archive)
    archive_clear(task->archive);
  if (task->recorder)
    task->recorder->restart(task->recorder->user);
}

void first_attempt_note_times(struct first_attempt *attempt, const struct engine_outcome *before) {
  attempt->explored += before->statistics.explore_seconds;
  attempt->built += before->gpu.build_seconds;
  attempt->took_memory += before->gpu.memory_seconds;
}

bool first_attempt_explore(struct first_attempt *attempt, struct engine_outcome *out, floe_status *status) {
  *status = engine_gpu.explore(attempt->search, out);
  first_attempt_drop(attempt);
  if (*status == FLOE_OK)
    out->attempts.first_sufficed = true;
  if (*status == FLOE_OK ? !out->attempts.must_escalate && out->end != FLOE_END_MEMORY : *status != FLOE_ERROR_MEMORY)
    return true;
  if (*status == FLOE_ERROR_MEMORY)
    *out = (struct engine_outcome){0};
  first_attempt_note_times(attempt, out);
  clear_records(&attempt->task);
  return false;
}

floe_status restart_on_first(const struct engine_task *task, floe_log *log, struct engine_outcome *out) {
  const struct engine_task own = task_of_first(task);
  clear_records(task);
  floe_status status = engine_run(&engine_gpu, &own, log, out);
  if (status == FLOE_OK)
    out->attempts.first_sufficed = true;
  return status;
}

void first_attempt_add_times(const struct first_attempt *attempt, struct engine_outcome *out) {
  out->statistics.explore_seconds += attempt->explored;
  out->gpu.build_seconds += attempt->built;
  out->gpu.memory_seconds += attempt->took_memory;
}

/* ---- in a group of processes ----------------------------------------------------------------- */

/* Result that rank 0 sends: the number of a MSG_GATHERED. */
enum verdict { RESTART, SUFFICES, INTERRUPTED };

static floe_status list_members(struct engine_outcome *out, unsigned count) {
  out->group.members = mem_array(count, sizeof *out->group.members);
  if (!out->group.members)
    return FLOE_ERROR_MEMORY;
  out->group.count = count;
  out->group.members[0] = (struct engine_member){.states = out->states,
                                                 .transitions = out->transitions,
                                                 .table_bytes = out->table.shape.bytes,
                                                 .threads = out->threads};
  return FLOE_OK;
}

static bool explore(struct first_attempt *attempt, const struct engine_task *task, unsigned members, floe_log *log,
                    struct engine_outcome *out, floe_status *status) {
  if (!first_attempt_possible(task))
    return false;
  *status = first_attempt_prepare(attempt, task, log);
  if (*status != FLOE_OK)
    return true;
  if (!first_attempt_explore(attempt, out, status)) {
    engine_outcome_free(out);
    return false;
  }
  if (*status == FLOE_OK && (*status = list_members(out, members)) != FLOE_OK)
    engine_outcome_free(out);
  return true;
}

bool first_attempt_lead(struct first_attempt *attempt, const struct engine_task *task, unsigned members, floe_log *log,
                        struct engine_outcome *out, floe_status *status) {
  enum verdict verdict = RESTART;
  struct heartbeat *heartbeat = heartbeat_begin(task->group.comm, task->limits.interrupt);
  const bool enough = explore(attempt, task, members, log, out, status);
  heartbeat_end(heartbeat);
  if (enough)
    verdict = *status == FLOE_OK && out->end == FLOE_END_INTERRUPT ? INTERRUPTED : SUFFICES;
  comm_send_all(task->group.comm, MSG_GATHERED, verdict, NULL, 0);
  return enough;
}

bool first_attempt_follow(struct comm *comm, const struct stop *stop, bool *interrupted) {
  const double begun = clock_seconds();
  struct message *message;
  unsigned rests = 0;
  double since = 0;
  bool told = false;
  while (!(message = comm_poll(comm, MSG_GATHERED)) && comm_status(comm) == FLOE_OK &&
         !comm_timed_out(comm, stop, &since)) {
    if (!told && stop_is_set(stop->interrupt)) {
      comm_send(comm, 0, packet_new(MSG_STOP, 0, 0));
      told = true;
    }
    stop_call_waiting(stop);
    comm_backoff(comm, &rests);
  }
  const uint64_t verdict = message ? packet_of(message)->number : SUFFICES;
  message_free(message);
  comm->idle_seconds += clock_seconds() - begun;
  *interrupted = verdict == INTERRUPTED;
  return verdict != RESTART;
}
