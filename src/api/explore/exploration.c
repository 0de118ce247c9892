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
                              .interrupt = running_flag(),
                              .started = e->started,
                              .devices = e->gpus.gpu,
                              .device_count = e->gpus.count,
                              .two_levels = e->two_levels,
                              .post = processes_post(),
                              .any_table = e->any_table};
}

struct engine_task exploration_main_task(const struct exploration *e) {
  struct engine_task task = exploration_task(e);
  task.recorder = e->order ? &e->recorder : NULL;
  task.keeping = e->keeping.path ? &e->keeping : NULL;
  task.from = e->from;
  return task;
}
