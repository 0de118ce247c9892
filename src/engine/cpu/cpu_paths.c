/* Paths to violations, from expanded levels that are still in memory: a second pass (api/explore/second_pass.h) is
   needed only if their memory was used for other things. */
#include "engine/cpu/cpu_search.h"

#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/trace/witness_path.h"

#include <string.h>

/* Kept chunks are this part of the memory, and at most MOST_KEPT: the system clears their pages, which costs a search
   of so many states a tenth of its time, violation or not. */
#define KEPT_SHARE 16
#define MOST_KEPT (UINT64_C(64) << 20)
#define FEW_CHUNKS 64 /* 1 MiB */

_Static_assert(CHUNK_WORDS <= LEVEL_PART, "a chunk does not fit in a part");

/* ---- keeping --------------------------------------------------------------------------------- */

void kept_open(struct cpu_search *self) {
  const struct engine_task *task = self->search.task;
  const uint64_t share = task->options->memory / KEPT_SHARE;
  if (task->paths.begin && !task->group.comm && !task->snapshot.from)
    chunk_pool_keep(&self->frontier.pool, share < MOST_KEPT ? share : MOST_KEPT);
}

static bool keeps(const struct cpu_search *self) { return self->frontier.pool.most_kept > 0; }

static bool make_room(struct cpu_kept *kept) {
  if (kept->count < kept->cap)
    return true;
  const uint32_t cap = kept->cap ? 2 * kept->cap : 64;
  struct frontier *levels = mem_resize(kept->levels, cap * sizeof *levels);
  if (!levels)
    return false;
  kept->levels = levels;
  kept->cap = cap;
  return true;
}

/* Levels of few states leave most of a chunk empty, and clearing its pages would cost more than a second pass. */
static bool is_sparse(const struct cpu_search *self) {
  const struct chunk_pool *pool = &self->frontier.pool;
  return pool->kept_count > FEW_CHUNKS && self->kept.states * self->words < pool->kept_count * CHUNK_WORDS / 8;
}

/* States on disk, and blocks read from it, are not kept. */
static bool is_in_memory(const struct frontier *level) {
  for (size_t i = 0; i < level->count; i++)
    if (!level->parts[i].chunk)
      return false;
  return true;
}

void kept_add_level(struct cpu_search *self) {
  if (!keeps(self) || self->frontier.level.count == 0) /* nothing is expanded before the initial state is a level */
    return;
  self->kept.states += self->frontier.level.states;
  if (is_sparse(self) || !is_in_memory(&self->frontier.level) || !make_room(&self->kept)) {
    chunk_pool_drop_kept(&self->frontier.pool);
    return;
  }
  self->kept.levels[self->kept.count++] = self->frontier.level;
  self->frontier.level = (struct frontier){0};
}

void kept_free(struct cpu_search *self) {
  for (uint32_t i = 0; i < self->kept.count; i++)
    mem_free(self->kept.levels[i].parts);
  mem_free(self->kept.levels);
}

/* ---- memory ---------------------------------------------------------------------------------- */

uint64_t kept_budget_left(struct cpu_search *self) {
  return budget_left(&self->budget) + self->frontier.pool.kept_count * CHUNK_BYTES;
}

bool kept_budget_take(struct cpu_search *self, uint64_t bytes) {
  if (budget_take(&self->budget, bytes))
    return true;
  if (!self->frontier.pool.kept_count)
    return false;
  chunk_pool_drop_kept(&self->frontier.pool);
  chunk_pool_trim(&self->frontier.pool, 0);
  return budget_take(&self->budget, bytes);
}

/* ---- levels as a source ---------------------------------------------------------------------- */

static uint64_t states_of(const void *data, uint32_t level) {
  const struct cpu_search *self = data;
  return self->kept.levels[level].states;
}

static size_t parts_of(const void *data, uint32_t level) {
  const struct cpu_search *self = data;
  return self->kept.levels[level].count;
}

struct appending {
  uint64_t *to;
  uint32_t words;
};

static void append_states(void *user, const uint64_t *states, size_t n) {
  struct appending *appending = user;
  memcpy(appending->to, states, n * appending->words * sizeof *states);
  appending->to += n * appending->words;
}

/* A part is a chunk. */
static floe_status read_part(const void *data, uint32_t level, size_t part, unsigned thread, uint64_t *buffer,
                             const uint64_t **states, size_t *count) {
  const struct cpu_search *self = data;
  const struct frontier_part *chunk = &self->kept.levels[level].parts[part];
  *count = chunk->states;
  *states = chunk->chunk->words;
  if (self->multiword.tree) {
    struct appending appending = {buffer, self->state_words};
    multiword_visit(&self->workers[thread], chunk->chunk->words, chunk->states, append_states, &appending);
    *states = buffer;
  }
  return FLOE_OK;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void find_paths(struct cpu_search *self, const struct stop *stop, struct engine_outcome *out) {
  const struct path_search search = {.levels = {self, states_of, parts_of, read_part},
                                     .stepper = self->stepper,
                                     .pool = self->pool,
                                     .transition_count = self->search.task->model->transition_count,
                                     .stop = *stop};
  struct path_target targets[PATHS_MOST];
  struct path paths[PATHS_MOST];
  const unsigned count = outcome_path_targets(out, targets);
  if (paths_find(&search, targets, count, paths) == FLOE_OK)
    outcome_set_paths(out, paths, count);
}

void kept_find_paths(struct cpu_search *self, struct engine_outcome *out) {
  const struct task_paths *request = &self->search.task->paths;
  const double begun = clock_seconds();
  if (!keeps(self) || !search_wants_paths(&self->search) || request->targets)
    return; /* the last level of a second pass is not kept */
  const struct stop stop = request->begin(request->user);
  find_paths(self, &stop, out);
  out->paths_seconds = clock_seconds() - begun;
}
