#include "engine/cycles/cycle_path.h"

#include "engine/path.h"
#include "step/stepper.h"

#include <string.h>

struct path *cycle_path(const struct cycle *cycle, size_t words,
                        const uint64_t *(*state_of)(void *user, uint64_t number), void *user) {
  struct path *path = mem_alloc(sizeof *path);
  if (!path)
    return NULL;
  path->steps = (uint32_t)cycle->steps;
  path->states = mem_array(cycle->steps + 1, words * sizeof *path->states);
  path->edges = mem_array(cycle->steps, sizeof *path->edges);
  for (size_t i = 0; path->states && path->edges && i <= cycle->steps; i++) {
    memcpy(path->states + i * words, state_of(user, cycle->states[i]), words * sizeof *path->states);
    if (i < cycle->steps)
      path->edges[i] = (struct step_edge){cycle->transitions[i], cycle->choices[i], NO_SITE};
  }
  if (path->states && path->edges)
    return path;
  path_free(path);
  mem_free(path);
  return NULL;
}
