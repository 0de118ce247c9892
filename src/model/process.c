#include "model/process.h"

const struct process *process_of(const struct model *model, uint32_t number) {
  static const struct location location = {.name = "", .at = NOWHERE};
  static const struct process none = {.name = "",
                                      .instances = 1,
                                      .single = true,
                                      .location_variable = UINT32_MAX,
                                      .locations = &location,
                                      .location_count = 1};
  return number == NO_PROCESS ? &none : &model->processes[number];
}

bool processes_several(const struct model *model) {
  for (size_t i = 0; i < model->process_count; i++)
    if (model->processes[i].instances > 1)
      return true;
  return false;
}

uint32_t instance_location(const struct model *model, uint32_t process, uint32_t instance, const int64_t *values) {
  if (process == NO_PROCESS)
    return 0;
  return (uint32_t)values[model->variables[model->processes[process].location_variable].first + instance];
}

const char *location_name(const struct model *model, uint32_t process, uint32_t location, struct arena *arena) {
  return process == NO_PROCESS ? "" : value_text(model, model->processes[process].location_variable, location, arena);
}

const char *instance_name(const struct model *model, uint32_t process, uint32_t instance, struct arena *arena) {
  return process == NO_PROCESS ? "" : element_name(model, model->processes[process].location_variable, instance, arena);
}

const char *actor_name(const struct model *model, const struct edge *edge, uint32_t instance, struct arena *arena) {
  return edge->process == NO_PROCESS ? edge->label : instance_name(model, edge->process, instance, arena);
}

struct edge edge_without_process(const char *name, source_at at) {
  static const uint32_t location = 0;
  return (struct edge){.process = NO_PROCESS,
                       .label = name,
                       .from = "",
                       .to = "",
                       .locations = &location,
                       .location_count = 1,
                       .at = at};
}
