#include "api/explore/exploration.h"

#include "api/processes.h"
#include "core/interruptible.h"

struct engine_task exploration_task(const struct exploration *e) {
  return (struct engine_task){.model = e->model,
                              .layout = e->layout,
                              .initial = e->initial,
                              .stepper = e->stepper,
                              .options = &e->options,
                              .wanted = e->wanted,
                              .interrupt = interruptible_flag(),
                              .started = e->started,
                              .devices = e->gpus.gpu,
                              .device_count = e->gpus.count,
                              .two_levels = e->two_levels,
                              .comm = processes_comm(),
                              .any_table = e->any_table};
}

struct engine_task exploration_main_task(const struct exploration *e) {
  struct engine_task task = exploration_task(e);
  task.recorder = e->order ? &e->recorder : NULL;
  task.checkpoint_policy = e->checkpoint_policy.path ? &e->checkpoint_policy : NULL;
  task.from = e->from;
  return task;
}
