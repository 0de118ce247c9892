#include "api/explore/exploration.h"

#include "api/processes.h"
#include "core/system/clock.h"
#include "core/threads/interruptible.h"

#define LEAST_TRACE_SECONDS 10

struct engine_task exploration_task(const struct exploration *e) {
  return (struct engine_task){.model = e->model,
                              .layout = e->layout,
                              .initial = e->initial,
                              .stepper = e->code.stepper,
                              .options = &e->options,
                              .property_mask = e->property_mask,
                              .limits.interrupt = interruptible_flag(),
                              .limits.started = e->started,
                              .devices.gpus = e->device.gpus.gpu,
                              .devices.count = e->device.gpus.count,
                              .devices.host_backed = e->host_backed,
                              .group.comm = processes_comm(),
                              .any_table = e->any_table,
                              .measures = e->part == PART_MODEL && e->options.measures,
                              .cycles = e->part == PART_PRODUCT,
                              .first_attempt = e->first_attempt,
                              .only_existence = e->only_existence};
}

/* ---- traces ---------------------------------------------------------------------------------- */

static double trace_seconds(const struct exploration *e) {
  const double searched = e->traces.started - e->started;
  if (e->options.trace_timeout > 0)
    return e->options.trace_timeout;
  return searched > LEAST_TRACE_SECONDS ? searched : LEAST_TRACE_SECONDS;
}

static void report(const struct exploration *e, const char *activity) {
  const floe_progress progress = {.activity = activity, .seconds = e->traces.started - e->started};
  if (e->options.progress)
    e->options.progress(&progress, e->options.user);
}

void exploration_begin_traces(struct exploration *e, const char *activity) {
  if (!e->traces.begun)
    traces_begin();
  e->traces.started = clock_seconds();
  if (!e->traces.begun)
    e->traces.seconds = trace_seconds(e);
  e->traces.begun = true;
  report(e, activity);
}

void exploration_end_traces(struct exploration *e) {
  if (e->traces.begun)
    traces_end();
  e->traces.begun = false;
}

struct stop exploration_trace_stop(const struct exploration *e) {
  return (struct stop){.interrupt = traces_interrupt_flag(), .deadline = e->traces.started + e->traces.seconds};
}

struct engine_task exploration_trace_task(const struct exploration *e, floe_options *options) {
  struct engine_task task = exploration_task(e);
  options->timeout = e->traces.seconds;
  options->decided = NULL; /* reported by the first pass */
  task.options = options;
  task.limits.interrupt = traces_interrupt_flag();
  task.limits.started = e->traces.started;
  return task;
}

static struct stop begin_paths(void *user) {
  struct exploration *e = user;
  if (!e->traces.begun)
    exploration_begin_traces(e, "reconstructing traces");
  return exploration_trace_stop(e);
}

static void abandon_paths(void *user) { exploration_end_traces(user); }

struct task_paths exploration_paths(struct exploration *e) {
  return (struct task_paths){.begin = begin_paths, .abandon = abandon_paths, .user = e};
}

struct engine_task exploration_main_task(struct exploration *e) {
  struct engine_task task = exploration_task(e);
  if (e->options.traces)
    task.paths = exploration_paths(e);
  task.passes = e->passes_mask;
  task.recorder = e->visited_order.file ? &e->visited_order.recorder : NULL;
  task.snapshot.policy = e->checkpoint.policy.path ? &e->checkpoint.policy : NULL;
  task.snapshot.from = e->checkpoint.from;
  return task;
}

const floe_constant *exploration_constants(const struct exploration *e, uint32_t *count) {
  *count = (uint32_t)floe_model_constants(e->api_model);
  floe_constant *constants = arena_array(&e->result->arena, *count, sizeof *constants);
  for (uint32_t i = 0; i < *count; i++)
    constants[i] = floe_model_constant(e->api_model, i);
  return constants;
}
