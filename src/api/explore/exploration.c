#include "api/explore/exploration.h"

#include "api/processes.h"
#include "core/interruptible.h"

struct engine_task exploration_task(const struct exploration *e) {
  return (struct engine_task){.model = e->model,
                              .layout = e->layout,
                              .initial = e->initial,
                              .stepper = e->stepper,
                              .options = &e->options,
                              .property_mask = e->wanted,
                              .limits.interrupt = interruptible_flag(),
                              .limits.started = e->started,
                              .devices.gpus = e->gpus.gpu,
                              .devices.count = e->gpus.count,
                              .devices.host_backed = e->two_levels,
                              .group.comm = processes_comm(),
                              .any_table = e->any_table};
}

struct engine_task exploration_main_task(const struct exploration *e) {
  struct engine_task task = exploration_task(e);
  task.recorder = e->order ? &e->recorder : NULL;
  task.snapshot.policy = e->checkpoint_policy.path ? &e->checkpoint_policy : NULL;
  task.snapshot.from = e->from;
  return task;
}
