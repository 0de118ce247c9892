#include "gpu/trace/host_paths.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "engine/path.h"
#include "engine/trace/witness_path.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/gpu_tree.h"

#include "tree/kernel/tree.h"

#include <string.h>

/* A fourth of the states that one thread expands while the kernel is compiled. Both times grow with the number of
   transitions (doc/design/traces.md). */
#define MOST_STATES (UINT64_C(1) << 18)

/* States of a part: small histories have levels of some hundreds, which all threads should share. */
#define PART 256

/* Copy of the levels before the greatest target. */
struct host_levels {
  const struct gpu_search *self;
  const uint64_t *level_states;
  uint64_t *begin;   /* [depth] number of the first state of each level */
  uint64_t *keys;    /* of all levels; multiword states: their roots */
  uint32_t *numbers; /* multiword states: scratch memory of each thread */
};

/* ---- levels as a source ---------------------------------------------------------------------- */

static uint64_t states_of(const void *data, uint32_t level) {
  const struct host_levels *levels = data;
  return levels->level_states[level];
}

static size_t parts_of(const void *data, uint32_t level) {
  return (size_t)((states_of(data, level) + PART - 1) / PART);
}

static floe_status read_part(const void *data, uint32_t level, size_t part, unsigned thread, uint64_t *buffer,
                             const uint64_t **states, size_t *count) {
  const struct host_levels *levels = data;
  const struct gpu_tree *tree = &levels->self->tree;
  const uint64_t first = (uint64_t)part * PART, *keys = levels->keys + levels->begin[level] + first;
  *count = (size_t)least(states_of(data, level) - first, PART);
  *states = tree->words ? buffer : keys;
  for (size_t i = 0; tree->words && i < *count; i++)
    tree_numbers_of(tree->host, tree->words, keys[i], levels->numbers + (size_t)thread * tree->count,
                    buffer + i * tree->words);
  return FLOE_OK;
}

/* ---- the copy -------------------------------------------------------------------------------- */

static uint64_t states_before(const uint64_t *level_states, uint32_t depth) {
  uint64_t states = 0;
  for (uint32_t i = 0; i < depth; i++)
    states += level_states[i];
  return states;
}

bool host_paths_suffice(const uint64_t *level_states, uint32_t depth) {
  return states_before(level_states, depth) < MOST_STATES;
}

/* The ring begins with the initial state, and no state in it was overwritten. */
static floe_status copy_levels(struct gpu_search *self, uint32_t depth, unsigned threads, struct host_levels *levels) {
  const uint64_t states = states_before(levels->level_states, depth);
  levels->begin = mem_array(depth, sizeof *levels->begin);
  levels->keys = mem_array(states, sizeof *levels->keys);
  levels->numbers = mem_array((size_t)threads * self->tree.count, sizeof *levels->numbers);
  if (!levels->begin || !levels->keys || !levels->numbers)
    return FLOE_ERROR_MEMORY;
  for (uint32_t i = 1; i < depth; i++)
    levels->begin[i] = levels->begin[i - 1] + levels->level_states[i - 1];
  if (self->tree.words)
    FLOE_TRY(gpu_tree_copy(self));
  return states ? gpu_download(self->gpu, levels->keys, self->queue.ring, states * sizeof *levels->keys) : FLOE_OK;
}

static void free_levels(struct host_levels *levels) {
  mem_free(levels->begin);
  mem_free(levels->keys);
  mem_free(levels->numbers);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static floe_status find_with(struct gpu_search *self, struct thread_pool *pool,
                             const struct host_paths_request *request, struct engine_outcome *out) {
  const struct engine_task *task = self->search.task;
  struct host_levels levels = {.self = self, .level_states = out->level_states};
  const struct path_search search = {.levels = {&levels, states_of, parts_of, read_part},
                                     .stepper = task->stepper,
                                     .pool = pool,
                                     .transition_count = task->model->transition_count,
                                     .stop = *request->stop};
  struct path paths[PATHS_MOST];
  floe_status status = copy_levels(self, request->depth, pool_size(pool), &levels);
  if (status == FLOE_OK)
    status = paths_find(&search, request->targets, request->count, paths);
  free_levels(&levels);
  return status == FLOE_OK ? outcome_set_paths(out, paths, request->count) : status;
}

floe_status host_paths_find(struct gpu_search *self, const struct host_paths_request *request,
                            struct engine_outcome *out) {
  struct thread_pool *pool;
  FLOE_TRY(pool_create(self->search.task->options->threads, &pool));
  const floe_status status = find_with(self, pool, request, out);
  pool_free(pool);
  return status;
}
