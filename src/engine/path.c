#include "engine/path.h"

#include "core/mem.h"

#include <assert.h>

_Static_assert(MODEL_MAX_PROPERTIES + 2 <= PATHS_MOST, "a model has more properties than paths are searched for");

void path_free(struct path *path) {
  mem_free(path->states);
  mem_free(path->edges);
  *path = (struct path){0};
}

unsigned outcome_path_targets(const struct engine_outcome *outcome, struct path_target *targets) {
  unsigned count = 0;
  for (size_t i = 0; i < outcome->property_count; i++)
    if (outcome->violations[i].violation)
      targets[count++] = (struct path_target){outcome->violations[i].depth, outcome->violations[i].state};
  return count;
}

floe_status outcome_set_paths(struct engine_outcome *outcome, const struct path *paths, unsigned count) {
  outcome->paths = mem_array(count, sizeof *outcome->paths);
  outcome->path_count = count;
  for (unsigned i = 0; i < count; i++) {
    struct path path = paths[i];
    if (outcome->paths)
      outcome->paths[i] = path;
    else
      path_free(&path);
  }
  return outcome->paths ? FLOE_OK : FLOE_ERROR_MEMORY;
}
