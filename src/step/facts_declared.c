/* Facts that need no proof: the declared ranges. */
#include "step/facts.h"

struct declaring {
  const struct model *model;
  struct arena *arena;
  struct facts *facts;
};

static void declare(void *data) {
  struct declaring *job = data;
  struct facts_range *ranges = arena_array(job->arena, job->model->value_count, sizeof *ranges);
  for (size_t v = 0; v < job->model->variable_count; v++) {
    const struct variable *variable = &job->model->variables[v];
    for (uint32_t i = 0; i < variable->count; i++)
      ranges[variable->first + i] = variable->assigned ? (struct facts_range){variable->lo, variable->hi}
                                                       : (struct facts_range){variable->init[i], variable->init[i]};
  }
  job->facts = arena_alloc(job->arena, sizeof *job->facts);
  job->facts->ranges = ranges;
}

floe_status facts_declared(const struct model *model, struct arena *arena, const struct facts **out) {
  struct declaring job = {model, arena, NULL};
  if (arena_guard(arena, declare, &job))
    return FLOE_ERROR_MEMORY;
  *out = job.facts;
  return FLOE_OK;
}
