/* Invariants that need no proof: the declared ranges. */
#include "step/analysis/invariants.h"

#include "step/analysis/value_ranges.h"

struct declaring {
  const struct model *model;
  struct arena *arena;
  struct invariants *invariants;
};

static void make_declared(void *data) {
  struct declaring *job = data;
  job->invariants = arena_alloc(job->arena, sizeof *job->invariants);
  *job->invariants = (struct invariants){.ranges = ranges_declared(job->model, job->arena)};
}

floe_status invariants_declared(const struct model *model, struct arena *arena, const struct invariants **out) {
  struct declaring job = {model, arena, NULL};
  if (arena_guard(arena, make_declared, &job))
    return FLOE_ERROR_MEMORY;
  *out = job.invariants;
  return FLOE_OK;
}
