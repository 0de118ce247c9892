#include "engine/trace/witness_path.h"

#include "core/mem.h"
#include "engine/engine.h"
#include "engine/trace/witness_group.h"

#include <assert.h>
#include <string.h>

/* ---- paths ----------------------------------------------------------------------------------- */

/* The paths that have not reached the initial state. Paths that have met share a target. */
struct sweep {
  struct backward back;
  const struct path_target *targets;
  unsigned count;
  struct path *paths;
  uint64_t *states;               /* [PATHS_MOST] of back.targets */
  unsigned target_of[PATHS_MOST]; /* number of the path's target at this level */
};

static uint64_t *state_at(const struct sweep *sweep, const struct path *path, uint32_t level) {
  return path->states + (size_t)level * sweep->back.words;
}

static unsigned target_number(const struct backward *back, const uint64_t *state) {
  unsigned i = 0;
  while (i < back->target_count && !words_equal(state, back->targets + (size_t)i * back->words, back->words))
    i++;
  return i;
}

/* Targets of this level: the paths' states in the next one, each once. */
static void set_targets(struct sweep *sweep, uint32_t level) {
  struct backward *back = &sweep->back;
  back->level = level;
  back->targets = sweep->states;
  back->target_count = 0;
  for (unsigned i = 0; i < sweep->count; i++) {
    if (sweep->paths[i].steps <= level)
      continue;
    const uint64_t *state = state_at(sweep, &sweep->paths[i], level + 1);
    const unsigned target = target_number(back, state);
    sweep->target_of[i] = target;
    if (target < back->target_count)
      continue;
    memcpy(sweep->states + (size_t)target * back->words, state, back->words * sizeof *state);
    back->target_count++;
  }
}

static floe_status step_back(struct sweep *sweep, uint32_t level) {
  struct backward *back = &sweep->back;
  struct predecessors *best;
  set_targets(sweep, level);
  FLOE_TRY(back->search->comm ? backward_search_group(back, &best) : backward_search(back, &best));
  if (best->found != UINT64_MAX >> (64 - back->target_count))
    return FLOE_ERROR_INTERNAL;
  for (unsigned i = 0; i < sweep->count; i++) {
    struct path *path = &sweep->paths[i];
    const unsigned target = sweep->target_of[i];
    if (path->steps <= level)
      continue;
    memcpy(state_at(sweep, path, level), best->states + (size_t)target * back->words, back->words * sizeof(uint64_t));
    path->edges[level] = best->edges[target];
  }
  return FLOE_OK;
}

static bool make_path(const struct path_target *target, uint32_t words, struct path *path) {
  *path = (struct path){.steps = target->depth};
  path->states = mem_array((size_t)target->depth + 1, words * sizeof(uint64_t));
  path->edges = mem_array(target->depth, sizeof *path->edges);
  if (!path->states || !path->edges)
    return false;
  memcpy(path->states + target->depth * (size_t)words, target->state, words * sizeof *target->state);
  return true;
}

static floe_status sweep_levels(struct sweep *sweep) {
  uint32_t depth = 0;
  floe_status status = FLOE_OK;
  for (unsigned i = 0; i < sweep->count; i++) {
    if (!make_path(&sweep->targets[i], sweep->back.words, &sweep->paths[i]))
      return FLOE_ERROR_MEMORY;
    depth = sweep->paths[i].steps > depth ? sweep->paths[i].steps : depth;
  }
  while (status == FLOE_OK && depth-- > 0)
    status = step_back(sweep, depth);
  return status;
}

floe_status paths_find(const struct path_search *search, const struct path_target *targets, unsigned count,
                       struct path *paths) {
  struct sweep sweep = {.targets = targets, .count = count, .paths = paths};
  floe_status status = FLOE_ERROR_MEMORY;
  assert(count >= 1 && count <= PATHS_MOST);
  memset(paths, 0, count * sizeof *paths);
  sweep.states = mem_array(PATHS_MOST, search->stepper->words * sizeof *sweep.states);
  if (backward_open(&sweep.back, search) && sweep.states)
    status = sweep_levels(&sweep);
  backward_close(&sweep.back);
  mem_free(sweep.states);
  for (unsigned i = 0; status != FLOE_OK && i < count; i++)
    path_free(&paths[i]);
  return status;
}

/* ---- edges ----------------------------------------------------------------------------------- */

static bool find_edge(const struct stepper *stepper, const uint64_t *state, const uint64_t *next, uint64_t *successors,
                      struct step_edge *edges, struct step_edge *out) {
  const size_t n = stepper->expand_one(stepper, state, successors, edges);
  for (size_t i = 0; i < n; i++)
    if (edges[i].site == NO_SITE && words_equal(successors + i * stepper->words, next, stepper->words)) {
      *out = edges[i];
      return true;
    }
  return false;
}

floe_status path_add_edges(const struct stepper *stepper, struct path *path) {
  const uint32_t most = stepper->max_successors, words = stepper->words;
  uint64_t *successors = mem_array(most, words * sizeof *successors);
  struct step_edge *edges = mem_array(most, sizeof *edges);
  path->edges = mem_array(path->steps, sizeof *path->edges);
  floe_status status = successors && edges && path->edges ? FLOE_OK : FLOE_ERROR_MEMORY;
  for (size_t i = 0; status == FLOE_OK && i < path->steps; i++)
    if (!find_edge(stepper, path->states + i * words, path->states + (i + 1) * words, successors, edges,
                   &path->edges[i]))
      status = FLOE_ERROR_INTERNAL;
  mem_free(successors);
  mem_free(edges);
  return status;
}
