#include "api/explore/exploration.h"

#include "api/processes.h"
#include "core/threads/interruptible.h"

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
                              .any_table = e->any_table};
}

static struct stop begin_paths(void *user) {
  const struct exploration *e = user;
  return (struct stop){.interrupt = exploration_task(e).limits.interrupt};
}

struct task_paths exploration_paths(struct exploration *e) {
  return (struct task_paths){.begin = begin_paths, .user = e};
}

struct engine_task exploration_main_task(struct exploration *e) {
  struct engine_task task = exploration_task(e);
  if (e->options.traces)
    task.paths = exploration_paths(e);
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
