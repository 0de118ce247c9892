/* Paths of states, and those of an outcome. */
#ifndef FLOE_ENGINE_PATH_H
#define FLOE_ENGINE_PATH_H

#include "engine/engine.h"

#define PATHS_MOST 64 /* targets of an outcome, and paths that are searched together */

struct path {
  uint32_t steps;
  uint64_t *states;        /* steps + 1 keys, from the initial state */
  struct step_edge *edges; /* [steps]; NULL: not known yet (path_add_edges) */
};

struct path_target {
  uint32_t depth;
  const uint64_t *state; /* of that depth */
};

void path_free(struct path *path);

/* Targets of the properties with a violation, in their order; `targets` has room for PATHS_MOST. Returns their
   number. */
unsigned outcome_path_targets(const struct engine_outcome *outcome, struct path_target *targets);
/* Sets outcome->paths to paths[count], in the order of outcome_path_targets. FLOE_ERROR_MEMORY: the paths are freed. */
floe_status outcome_set_paths(struct engine_outcome *outcome, const struct path *paths, unsigned count);

#endif
