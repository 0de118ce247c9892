#include "api/exploration.h"

#include "core/running.h"

struct engine_task exploration_task(const struct exploration *e) {
  return (struct engine_task){.model = e->model,
                              .layout = e->layout,
                              .initial = e->initial,
                              .stepper = e->stepper,
                              .options = &e->options,
                              .wanted = e->wanted,
                              .interrupt = running_flag(),
                              .started = e->started,
                              .devices = &e->gpu,
                              .device_count = e->gpu != NULL,
                              .two_levels = e->two_levels};
}
