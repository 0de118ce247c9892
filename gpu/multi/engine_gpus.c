/* Several devices of this process (gpu/multi/device_team.h). Where all of a group are here the first one begins alone
   (gpu/multi/first_attempt.h), the others begin with it anew where it is not enough, and where they are full, too, it has the host's
   memory to help. */
#include "core/mem.h"
#include "gpu/multi/first_attempt.h"
#include "gpu/engine/sizing_policy.h"
#include "gpu/jit/gpu_api.h"
#include "gpu/multi/device_team.h"

#include <assert.h>

struct stages {
  struct engine_task task; /* with the devices that are open */
  floe_log *log;
  struct first_attempt alone;
  struct device_team *several;        /* NULL: the others are not open yet, or are done */
  struct engine_outcome greatest; /* of what was begun anew */
};

static struct stages *of(struct search *search) { return (struct stages *)search; }

static bool is_nested(const struct stages *stages) { return stages->task.group.member_counts != NULL; }

/* ---- all together -------------------------------------------------------------------------------- */

/* Fewer may come than there are. */
static floe_status open_others(struct stages *stages) {
  const struct engine_others *others = stages->task.devices.others;
  if (!others)
    return FLOE_OK;
  stages->task.devices.count = others->open(others->user);
  stages->task.devices.others = NULL;
  if (stages->task.devices.count == 1)
    return FLOE_OK;
  return device_team_create(&stages->task, stages->log, &stages->several);
}

static floe_status explore_together(struct stages *stages, struct engine_outcome *out) {
  floe_status status = device_team_prepare(stages->several);
  if (status == FLOE_OK)
    status = device_team_explore(stages->several, out);
  device_team_drop(stages->several);
  stages->several = NULL;
  return status;
}

/* ---- what is begun anew --------------------------------------------------------------------------- */

static bool is_less(const struct engine_outcome *a, const struct engine_outcome *b) {
  return a->levels != b->levels ? a->levels < b->levels : a->states < b->states;
}

/* Of this run and those before, which its outcome then becomes a part of. */
static void keep_greater(struct stages *stages, struct engine_outcome *before) {
  if (is_less(&stages->greatest, before)) {
    engine_outcome_free(&stages->greatest);
    stages->greatest = *before;
  } else {
    engine_outcome_free(before);
  }
}

/* The run was cut short, or before it began. */
static bool is_cut(const struct stages *stages, floe_status status, const struct engine_outcome *out, floe_end *end) {
  const struct stop stop = engine_stop(&stages->task);
  if (status == FLOE_OK)
    *end = out->end;
  else if (status == FLOE_ERROR_UNSUPPORTED && stop_requested(&stop))
    *end = stop_is_set(stop.interrupt) ? FLOE_END_INTERRUPT : FLOE_END_TIMEOUT;
  else if (status == FLOE_ERROR_MEMORY)
    *end = FLOE_END_MEMORY;
  else
    return false;
  return engine_is_cut(*end);
}

/* A run that did not come as far as one before, as it was cut short, tells of that; but for files and levels that it
   kept itself. */
static floe_status tell_of_greatest(struct stages *stages, floe_status status, struct engine_outcome *out) {
  const struct engine_task *task = &stages->task;
  struct engine_outcome *greatest = &stages->greatest;
  const bool keeps = task->snapshot.policy || task->recorder || task->archive;
  floe_end end;
  if (!is_cut(stages, status, out, &end) || keeps || !greatest->level_states ||
      (status == FLOE_OK && !is_less(out, greatest)))
    return status;
  greatest->end = end;
  greatest->statistics.explore_seconds = greatest->gpu.build_seconds = greatest->gpu.memory_seconds =
      0; /* alone_note has them */
  if (status == FLOE_OK) {
    alone_note(&stages->alone, out);
    engine_outcome_free(out);
  }
  *out = *greatest;
  *greatest = (struct engine_outcome){0};
  return FLOE_OK;
}

/* ---- one, and the host's memory ------------------------------------------------------------------ */

/* What had too little memory, with all that several devices have, may have enough where the host's helps one. A search
   with checkpoints goes on from the last one, and levels that are kept for a trace take that memory themselves. */
static bool host_may_help(const struct stages *stages, const struct engine_outcome *out) {
  const struct engine_task *task = &stages->task;
  const char *table = out->table.scheme ? out->table.scheme : task->options->table;
  const uint64_t limit = gpu_memory_allowed(task->devices.gpus[0], task->options->gpu_memory, 0);
  return !task->snapshot.from && !task->snapshot.policy && !task->archive && task->layout->key_words == 1 &&
         !table_traits(table)->every_key && policy_host_holds_more(task->devices.count, limit, task->options->memory);
}

static floe_status go_on_with_host(struct stages *stages, struct engine_outcome *out) {
  const uint64_t full_states = out->states;
  alone_note(&stages->alone, out);
  keep_greater(stages, out);
  floe_status status = alone_to_the_end(&stages->task, stages->log, out);
  if (status == FLOE_OK)
    out->attempts.full_states = full_states;
  return status;
}

static floe_status explore_anew(struct stages *stages, struct engine_outcome *out) {
  FLOE_TRY(open_others(stages));
  if (!stages->several)
    return alone_to_the_end(&stages->task, stages->log, out);
  *out = (struct engine_outcome){0};
  floe_status status = explore_together(stages, out);
  if (status == FLOE_OK)
    out->attempts.first_states = stages->greatest.states; /* the first one's */
  const bool is_full = status == FLOE_ERROR_MEMORY || (status == FLOE_OK && out->end == FLOE_END_MEMORY);
  return is_full && host_may_help(stages, out) ? go_on_with_host(stages, out) : status;
}

/* ---- the engine ---------------------------------------------------------------------------------- */

static void drop(struct search *search) {
  struct stages *stages = of(search);
  if (!stages)
    return;
  alone_drop(&stages->alone);
  device_team_drop(stages->several);
  engine_outcome_free(&stages->greatest);
  mem_free(stages);
}

static floe_status prepare_first(struct stages *stages) {
  if (!stages->task.devices.others)
    FLOE_TRY(device_team_create(&stages->task, stages->log, &stages->several));
  if (is_nested(stages))
    return device_team_prepare(stages->several);
  if (stages->task.snapshot.from || (stages->several && !alone_may_begin(&stages->task)))
    return FLOE_OK;
  return alone_prepare(&stages->alone, &stages->task, stages->log);
}

static floe_status prepare(const struct engine_task *task, floe_log *log, struct search **out) {
  assert(!task->group.comm == !task->group.member_counts);
  assert(!(task->recorder && task->recorder->lookups) && !task->devices.host_backed && !(task->devices.others && task->snapshot.from));
  struct stages *stages = mem_alloc(sizeof *stages);
  if (!stages)
    return FLOE_ERROR_MEMORY;
  stages->task = *task;
  stages->log = log;
  floe_status status = prepare_first(stages);
  if (status == FLOE_OK)
    *out = (struct search *)stages;
  else
    drop((struct search *)stages);
  return status;
}

static floe_status explore(struct search *search, struct engine_outcome *out) {
  struct stages *stages = of(search);
  floe_status status;
  if (is_nested(stages))
    return device_team_explore(stages->several, out);
  if (stages->alone.search) {
    if (attempt_suffices(&stages->alone, out, &status))
      return status;
    keep_greater(stages, out);
  }
  status = tell_of_greatest(stages, explore_anew(stages, out), out);
  if (status == FLOE_OK)
    alone_add(&stages->alone, out);
  return status;
}

const struct engine engine_gpus = {
    .name = "gpu", .most_devices = MOST_DEVICES, .prepare = prepare, .explore = explore, .drop = drop};
