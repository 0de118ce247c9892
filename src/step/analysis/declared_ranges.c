/* Facts that need no proof: the declared ranges. */
#include "step/analysis/invariants.h"

#include "step/analysis/value_ranges.h"

struct declaring {
  const struct model *model;
  struct arena *arena;
  struct facts *facts;
};

static void declare(void *data) {
  struct declaring *job = data;
  job->facts = arena_alloc(job->arena, sizeof *job->facts);
  *job->facts = (struct facts){.ranges = ranges_declared(job->model, job->arena)};
}

floe_status facts_declared(const struct model *model, struct arena *arena, const struct facts **out) {
  struct declaring job = {model, arena, NULL};
  if (arena_guard(arena, declare, &job))
    return FLOE_ERROR_MEMORY;
  *out = job.facts;
  return FLOE_OK;
}
