#include "api/attempts/attempts.h"

#include "api/attempts/first_of_group.h"
#include "engine/comm/comm.h"
#include "engine/comm/heartbeat.h"
#include "engine/trace/level_archive.h"
#include "gpu/engine/sizing_policy.h"
#include "gpu/jit/gpu_api.h"

/* With less time until the timeout GPUs cannot gain anything. */
#define LEAST_SECONDS 0.1

/* Why an attempt ended; 0: it is the result. */
enum why {
  BEGIN = 1,  /* no attempt was made */
  READY = 2,  /* GPUs are ready */
  LARGE = 4,  /* other GPUs may make the search faster */
  FULL = 8,   /* no memory, also to start */
  FAILED = 16 /* other errors */
};

static unsigned why_ended(floe_status status, const struct engine_outcome *out) {
  if (status != FLOE_OK)
    return status == FLOE_ERROR_MEMORY ? FULL : FAILED;
  if (out->cancelled)
    return READY;
  return out->attempts.must_escalate ? LARGE : out->end == FLOE_END_MEMORY ? FULL : 0;
}

static bool in_group(const struct attempts *a) { return a->task.group.comm != NULL; }
static bool is_stopped(const struct attempts *a) {
  const struct stop stop = engine_stop(&a->task);
  return stop_requested(&stop);
}

/* ---- one attempt ------------------------------------------------------------------------------- */

static floe_status prepare(struct attempts *a, const struct engine_task *task) {
  if (a->group.own != FLOE_OK || a->search)
    return a->group.own;
  a->prepared = *task;
  a->prepared_by = task->group.member_counts ? &engine_gpus : engine_for(task->devices.count);
  floe_log *log = a->prepared_by == &engine_cpu ? a->log : a->gpu_log;
  return a->prepared_by->prepare(&a->prepared, log, &a->search);
}

void attempts_drop(struct attempts *a) {
  if (a->search)
    a->prepared_by->drop(a->search);
  a->search = NULL;
}

static floe_status explore(struct attempts *a, const struct engine_task *task, struct engine_outcome *out) {
  floe_status status = prepare(a, task);
  a->engine = a->prepared_by;
  if (task->group.comm)
    status = a->group.confirm(a->group.user, status);
  if (status == FLOE_OK)
    status = a->engine->explore(a->search, out);
  attempts_drop(a);
  if (status == FLOE_OK)
    out->attempts.first_sufficed = task->devices.count == 1 && !task->group.comm;
  if (a->engine != &engine_cpu) {
    a->gpu_status = status;
    a->gpu_stopped = status == FLOE_ERROR_UNSUPPORTED && is_stopped(a);
  }
  return status;
}

/* ---- CPU, until GPUs are ready ------------------------------------------------------------------- */

static bool gpus_may_start(struct attempts *a) { return a->startup.open != NULL; }

static floe_status open_and_prepare(struct attempts *a, const struct stop *stop) {
  FLOE_TRY(a->startup.open(a->startup.user, a, stop));
  return attempts_prepare(a);
}

/* `a` belongs to this thread until it is joined. So the flag is relaxed. */
static void start_gpus(void *data) {
  struct attempts *a = data;
  const struct stop stop = engine_stop(&a->task);
  a->gpu_status = open_and_prepare(a, &stop);
  a->gpu_stopped = a->gpu_status != FLOE_OK && stop_requested(&stop);
  if (a->gpu_status == FLOE_OK && !stop_requested(&stop) &&
      (stop.deadline == 0 || stop.deadline - clock_seconds() > LEAST_SECONDS))
    atomic_store_explicit(&a->ready, true, memory_order_relaxed);
}

/* The first GPU becomes current in this thread. After a failure there are no GPUs. */
static void end_startup(struct attempts *a) {
  delayed_thread_join(&a->start);
  const floe_status status = a->task.devices.count > 0 ? gpu_use(a->task.devices.gpus[0]) : FLOE_OK;
  if (a->gpu_status == FLOE_OK)
    a->gpu_status = status;
  if (a->gpu_status == FLOE_OK)
    return;
  attempts_drop(a);
  a->task.devices.count = 0;
  a->others.open = NULL;
}

static floe_status run_until_ready(struct attempts *a, struct engine_outcome *out) {
  struct engine_task task = a->task;
  task.limits.cancelled = &a->ready;
  a->task.limits.cancelled = &a->start.cancelled;
  delayed_thread_start(&a->start, a->startup.delay, start_gpus, a);
  const floe_status status = engine_run(&engine_cpu, &task, a->log, out);
  a->cpu_replaced = status == FLOE_OK && out->cancelled;
  if (why_ended(status, out) & (READY | FULL))
    a->cpu_seconds = clock_seconds() - task.limits.started;
  else
    delayed_thread_cancel(&a->start);
  end_startup(a);
  a->engine = &engine_cpu;
  return status;
}

/* ---- first GPU ------------------------------------------------------------------------------------ */

static struct engine_task task_of_first(const struct attempts *a, bool may_escalate) {
  struct engine_task first = a->task;
  first.devices.count = 1;
  first.devices.may_escalate = may_escalate;
  first.devices.escalate_from = may_escalate ? a->others.from : 0;
  first.group = (struct task_group){.comm = NULL};
  return first;
}

/* False: the chosen table has a slot for every key, and does not fit on one GPU. */
static bool first_holds(const struct attempts *a) {
  const struct engine_task *task = &a->task;
  const floe_options *options = task->options;
  const struct policy_search search = {
      .table = {.scheme = options->table, .key_bits = task->layout->key_bits, .keys = task->layout->keys}};
  return task->layout->key_words > 1 || !table_traits(options->table)->every_key ||
         policy_one_holds(&search, gpu_memory_budget(task->devices.gpus[0], options->gpu_memory, 0));
}

/* A restored search was large, or long: it uses all GPUs at once. */
static bool first_may_begin(struct attempts *a) {
  if (in_group(a))
    return a->group.first_alone;
  return a->others.open || (a->task.devices.count > 1 && !a->task.snapshot.from && first_holds(a));
}

/* Rank 0 explores; the others prepare for the next attempt meanwhile, so a cache of kernels that they share has them
   for it. The epoch begins before any process prepares, as nested groups use its number. */
static floe_status run_on_first_of_group(struct attempts *a, const struct engine_task *first,
                                         struct engine_outcome *out) {
  struct comm *comm = a->task.group.comm;
  const struct stop stop = engine_stop(&a->task);
  floe_status status = FLOE_ERROR_MEMORY;
  comm_next_epoch(comm);
  if (comm->group->rank > 0) {
    a->group.own = prepare(a, &a->task);
    return first_of_group_follow(comm, &stop, out);
  }
  struct heartbeat *heartbeat = heartbeat_begin(comm, a->task.limits.interrupt);
  if (first_holds(a))
    status = explore(a, first, out);
  if (status == FLOE_OK)
    status = first_of_group_list(a->group.members, out);
  heartbeat_end(heartbeat);
  first_of_group_announce(comm, why_ended(status, out) & (LARGE | FULL),
                          status == FLOE_OK ? out->end : FLOE_END_COMPLETE);
  return status;
}

static floe_status run_on_first(struct attempts *a, struct engine_outcome *out) {
  const struct engine_task first = task_of_first(a, true);
  const floe_status status = in_group(a) ? run_on_first_of_group(a, &first, out) : explore(a, &first, out);
  a->first_states = out->states;
  return status;
}

/* ---- all ------------------------------------------------------------------------------------------ */

/* Opens the other GPUs. Without GPUs: the CPU, if it has not explored. */
static bool all_may_begin(struct attempts *a) {
  if (a->others.open)
    a->task.devices.count = a->others.open(a->others.user);
  a->others.open = NULL;
  return a->task.devices.count > 0 || !a->engine;
}

static floe_status run_on_all(struct attempts *a, struct engine_outcome *out) {
  const floe_status status = explore(a, &a->task, out);
  if (a->task.devices.count > 1)
    out->attempts.first_states = a->first_states;
  a->full_states = out->states;
  a->full_table = out->table.scheme ? out->table.scheme : a->task.options->table;
  return status;
}

/* ---- first GPU with host memory ------------------------------------------------------------------- */

/* Not with checkpoints, as the search can be restored from the last one; nor if levels are kept for a trace, which
   takes that memory. */
static bool host_may_help(struct attempts *a) {
  const struct engine_task *task = &a->task;
  if (task->devices.count < 2 || in_group(a) || task->snapshot.from || task->snapshot.policy || task->archive ||
      task->layout->key_words > 1 || table_traits(a->full_table)->every_key)
    return false;
  const uint64_t limit = gpu_memory_budget(task->devices.gpus[0], task->options->gpu_memory, 0);
  return policy_host_holds_more(task->devices.count, limit, task->options->memory);
}

static floe_status run_with_host(struct attempts *a, struct engine_outcome *out) {
  const struct engine_task first = task_of_first(a, false);
  const floe_status status = explore(a, &first, out);
  out->attempts.full_states = a->full_states;
  return status;
}

/* ---- CPU ------------------------------------------------------------------------------------------ */

static bool keeps_files(const struct engine_task *task) {
  return task->snapshot.policy || task->recorder || task->archive;
}

/* The CPU ended by itself before GPUs took over. */
static bool cpu_has_ended(const struct attempts *a) {
  return a->greatest_engine == &engine_cpu && !a->greatest.cancelled;
}

/* What GPUs had found before they were full, or were stopped, stands. A checkpoint that they could not read is damaged.
 */
static bool cpu_may_help(struct attempts *a) {
  if (in_group(a) || a->gpu_status == FLOE_OK || (a->engine == &engine_cpu && !a->cpu_replaced))
    return false;
  const bool found = a->greatest.level_states && !keeps_files(&a->task);
  if (a->gpu_stopped || (a->gpu_status == FLOE_ERROR_MEMORY && found && a->greatest_engine != &engine_cpu))
    return !found;
  return a->cpu_helps && !cpu_has_ended(a) && !(a->task.snapshot.from && a->gpu_status == FLOE_ERROR_IO);
}

static floe_status run_on_cpu(struct attempts *a, struct engine_outcome *out) {
  a->task.devices.count = 0;
  return explore(a, &a->task, out);
}

/* ---- the greatest outcome ------------------------------------------------------------------------- */

static bool is_less(const struct engine_outcome *a, const struct engine_outcome *b) {
  return a->levels != b->levels ? a->levels < b->levels : a->states < b->states;
}

static void note_seconds(struct attempts *a, struct engine_outcome *out) {
  if (a->engine == &engine_cpu)
    return;
  a->seconds.explore += out->statistics.explore_seconds;
  a->seconds.build += out->gpu.build_seconds;
  a->seconds.memory += out->gpu.memory_seconds;
  out->statistics.explore_seconds = out->gpu.build_seconds = out->gpu.memory_seconds = 0;
}

/* Before the next attempt: archive and recorder are cleared, and `out` too. */
static void abandon(struct attempts *a, struct engine_outcome *out) {
  if (a->task.archive)
    archive_clear(a->task.archive);
  if (a->task.recorder)
    a->task.recorder->restart(a->task.recorder->user);
  if (a->task.paths.abandon)
    a->task.paths.abandon(a->task.paths.user);
  note_seconds(a, out);
  if (is_less(&a->greatest, out)) {
    engine_outcome_free(&a->greatest);
    a->greatest = *out;
    a->greatest_engine = a->engine;
  } else {
    engine_outcome_free(out);
  }
  *out = (struct engine_outcome){0};
}

/* The run was cut short, possibly before it began. */
static bool is_cut(const struct attempts *a, floe_status status, const struct engine_outcome *out, floe_end *end) {
  if (status == FLOE_OK)
    *end = out->end;
  else if (status == FLOE_ERROR_UNSUPPORTED && is_stopped(a))
    *end = stop_is_set(a->task.limits.interrupt) ? FLOE_END_INTERRUPT : FLOE_END_TIMEOUT;
  else if (status == FLOE_ERROR_MEMORY)
    *end = FLOE_END_MEMORY;
  else if (cpu_has_ended(a))
    *end = a->greatest.end;
  else
    return false;
  return engine_ended_early(*end);
}

/* Returns the outcome of an earlier attempt that found more than the last one, if that was cut short; except if files
   or levels must match the last one. */
static floe_status use_greatest(struct attempts *a, floe_status status, struct engine_outcome *out) {
  floe_end end;
  if (!a->greatest.level_states || !is_cut(a, status, out, &end) || (keeps_files(&a->task) && !cpu_has_ended(a)) ||
      (status == FLOE_OK && !is_less(out, &a->greatest)))
    return status;
  note_seconds(a, out);
  engine_outcome_free(out);
  *out = a->greatest;
  out->end = end;
  out->cancelled = false;
  a->greatest = (struct engine_outcome){0};
  a->engine = a->greatest_engine;
  return FLOE_OK;
}

/* ---- all attempts --------------------------------------------------------------------------------- */

static const struct attempt {
  unsigned after, until; /* masks of enum why: it follows an attempt that ended so; others may follow if it ends so */
  bool (*may_begin)(struct attempts *a);
  floe_status (*run)(struct attempts *a, struct engine_outcome *out);
} table[] = {
    {BEGIN, READY | FULL, gpus_may_start, run_until_ready},
    {BEGIN | READY | FULL, LARGE | FULL | FAILED, first_may_begin, run_on_first},
    {BEGIN | READY | LARGE | FULL, FULL | FAILED, all_may_begin, run_on_all},
    {FULL, FULL | FAILED, host_may_help, run_with_host},
    {READY | FULL | FAILED, 0, cpu_may_help, run_on_cpu},
};

floe_status attempts_prepare(struct attempts *a) {
  const struct engine_task first = task_of_first(a, true);
  if (first_may_begin(a))
    return prepare(a, &first);
  return a->task.devices.count > 1 ? FLOE_OK : prepare(a, &a->task);
}

floe_status attempts_run(struct attempts *a, struct engine_outcome *out) {
  floe_status status = FLOE_OK;
  unsigned why = BEGIN, until = BEGIN;
  *out = (struct engine_outcome){0};
  for (size_t i = 0; i < sizeof table / sizeof *table && (why & until); i++) {
    if (!(table[i].after & why) || !table[i].may_begin(a))
      continue;
    if (why != BEGIN)
      abandon(a, out);
    status = table[i].run(a, out);
    why = why_ended(status, out);
    until = table[i].until;
  }
  status = use_greatest(a, status, out);
  if (status == FLOE_OK && a->engine != &engine_cpu) {
    out->statistics.explore_seconds += a->seconds.explore;
    out->gpu.build_seconds += a->seconds.build;
    out->gpu.memory_seconds += a->seconds.memory;
  }
  attempts_drop(a);
  engine_outcome_free(&a->greatest);
  return status;
}
