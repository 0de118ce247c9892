/* Engine of several GPUs of this process (gpu/multi/device_team.h). If the group has no other processes, the first GPU
   begins alone (gpu/multi/first_attempt.h). If it does not suffice, the search restarts on all GPUs; if their memory is
   full, too, it restarts on the first one with host memory. */
#include "core/mem.h"
#include "gpu/engine/sizing_policy.h"
#include "gpu/jit/gpu_api.h"
#include "gpu/multi/device_team.h"
#include "gpu/multi/first_attempt.h"

#include <assert.h>

struct attempts {
  struct engine_task task; /* with the GPUs that are open */
  floe_log *log;
  struct first_attempt first;
  struct device_team *team;       /* NULL: the others are not open yet, or have finished */
  struct engine_outcome greatest; /* of the attempts before the last restart */
};

static struct attempts *of(struct search *search) { return (struct attempts *)search; }

static bool is_nested(const struct attempts *attempts) { return attempts->task.group.member_counts != NULL; }

/* ---- all GPUs ---------------------------------------------------------------------------------- */

/* Fewer than all may open. */
static floe_status open_others(struct attempts *attempts) {
  const struct engine_others *others = attempts->task.devices.others;
  if (!others)
    return FLOE_OK;
  attempts->task.devices.count = others->open(others->user);
  attempts->task.devices.others = NULL;
  if (attempts->task.devices.count == 1)
    return FLOE_OK;
  return device_team_create(&attempts->task, attempts->log, &attempts->team);
}

static floe_status explore_team(struct attempts *attempts, struct engine_outcome *out) {
  floe_status status = device_team_prepare(attempts->team);
  if (status == FLOE_OK)
    status = device_team_explore(attempts->team, out);
  device_team_drop(attempts->team);
  attempts->team = NULL;
  return status;
}

/* ---- restarts ------------------------------------------------------------------------------------ */

static bool is_less(const struct engine_outcome *a, const struct engine_outcome *b) {
  return a->levels != b->levels ? a->levels < b->levels : a->states < b->states;
}

/* Keeps the outcome of the attempt that found most; `before` is consumed. */
static void keep_greater(struct attempts *attempts, struct engine_outcome *before) {
  if (is_less(&attempts->greatest, before)) {
    engine_outcome_free(&attempts->greatest);
    attempts->greatest = *before;
  } else {
    engine_outcome_free(before);
  }
}

/* The run was cut short, possibly before it began. */
static bool is_cut(const struct attempts *attempts, floe_status status, const struct engine_outcome *out,
                   floe_end *end) {
  const struct stop stop = engine_stop(&attempts->task);
  if (status == FLOE_OK)
    *end = out->end;
  else if (status == FLOE_ERROR_UNSUPPORTED && stop_requested(&stop))
    *end = stop_is_set(stop.interrupt) ? FLOE_END_INTERRUPT : FLOE_END_TIMEOUT;
  else if (status == FLOE_ERROR_MEMORY)
    *end = FLOE_END_MEMORY;
  else
    return false;
  return engine_ended_early(*end);
}

/* Returns the outcome of an earlier attempt that found more than the last one, if that was cut short; except if files
   or levels must match the last one. */
static floe_status use_greatest(struct attempts *attempts, floe_status status, struct engine_outcome *out) {
  const struct engine_task *task = &attempts->task;
  struct engine_outcome *greatest = &attempts->greatest;
  const bool keeps = task->snapshot.policy || task->recorder || task->archive;
  floe_end end;
  if (!is_cut(attempts, status, out, &end) || keeps || !greatest->level_states ||
      (status == FLOE_OK && !is_less(out, greatest)))
    return status;
  greatest->end = end;
  greatest->statistics.explore_seconds = greatest->gpu.build_seconds = greatest->gpu.memory_seconds =
      0; /* first_attempt_note_times has them */
  if (status == FLOE_OK) {
    first_attempt_note_times(&attempts->first, out);
    engine_outcome_free(out);
  }
  *out = *greatest;
  *greatest = (struct engine_outcome){0};
  return FLOE_OK;
}

/* ---- one GPU and host memory --------------------------------------------------------------------- */

/* A search that filled all GPUs may fit on one GPU with host memory. Not with checkpoints, as it can be restored from
   the last one; nor if levels are kept for a trace, which takes that memory. */
static bool host_may_help(const struct attempts *attempts, const struct engine_outcome *out) {
  const struct engine_task *task = &attempts->task;
  const char *table = out->table.scheme ? out->table.scheme : task->options->table;
  const uint64_t limit = gpu_memory_budget(task->devices.gpus[0], task->options->gpu_memory, 0);
  return !task->snapshot.from && !task->snapshot.policy && !task->archive && task->layout->key_words == 1 &&
         !table_traits(table)->every_key && policy_host_holds_more(task->devices.count, limit, task->options->memory);
}

static floe_status restart_with_host(struct attempts *attempts, struct engine_outcome *out) {
  const uint64_t full_states = out->states;
  first_attempt_note_times(&attempts->first, out);
  keep_greater(attempts, out);
  floe_status status = restart_on_first(&attempts->task, attempts->log, out);
  if (status == FLOE_OK)
    out->attempts.full_states = full_states;
  return status;
}

static floe_status restart_on_all(struct attempts *attempts, struct engine_outcome *out) {
  FLOE_TRY(open_others(attempts));
  if (!attempts->team)
    return restart_on_first(&attempts->task, attempts->log, out);
  *out = (struct engine_outcome){0};
  floe_status status = explore_team(attempts, out);
  if (status == FLOE_OK)
    out->attempts.first_states = attempts->greatest.states; /* of the first attempt */
  const bool is_full = status == FLOE_ERROR_MEMORY || (status == FLOE_OK && out->end == FLOE_END_MEMORY);
  return is_full && host_may_help(attempts, out) ? restart_with_host(attempts, out) : status;
}

/* ---- the engine ---------------------------------------------------------------------------------- */

static void drop(struct search *search) {
  struct attempts *attempts = of(search);
  if (!attempts)
    return;
  first_attempt_drop(&attempts->first);
  device_team_drop(attempts->team);
  engine_outcome_free(&attempts->greatest);
  mem_free(attempts);
}

static floe_status prepare_first(struct attempts *attempts) {
  if (!attempts->task.devices.others)
    FLOE_TRY(device_team_create(&attempts->task, attempts->log, &attempts->team));
  if (is_nested(attempts))
    return device_team_prepare(attempts->team);
  if (attempts->task.snapshot.from || (attempts->team && !first_attempt_possible(&attempts->task)))
    return FLOE_OK;
  return first_attempt_prepare(&attempts->first, &attempts->task, attempts->log);
}

static floe_status prepare(const struct engine_task *task, floe_log *log, struct search **out) {
  assert(!task->group.comm == !task->group.member_counts);
  assert(!(task->recorder && task->recorder->lookups) && !task->devices.host_backed &&
         !(task->devices.others && task->snapshot.from));
  struct attempts *attempts = mem_alloc(sizeof *attempts);
  if (!attempts)
    return FLOE_ERROR_MEMORY;
  attempts->task = *task;
  attempts->log = log;
  floe_status status = prepare_first(attempts);
  if (status == FLOE_OK)
    *out = (struct search *)attempts;
  else
    drop((struct search *)attempts);
  return status;
}

static floe_status explore(struct search *search, struct engine_outcome *out) {
  struct attempts *attempts = of(search);
  floe_status status;
  if (is_nested(attempts))
    return device_team_explore(attempts->team, out);
  if (attempts->first.search) {
    if (first_attempt_explore(&attempts->first, out, &status))
      return status;
    keep_greater(attempts, out);
  }
  status = use_greatest(attempts, restart_on_all(attempts, out), out);
  if (status == FLOE_OK)
    first_attempt_add_times(&attempts->first, out);
  return status;
}

const struct engine engine_gpus = {
    .name = "gpu", .most_devices = MOST_DEVICES, .prepare = prepare, .explore = explore, .drop = drop};
