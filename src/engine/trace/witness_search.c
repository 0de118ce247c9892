#include "engine/trace/witness_search.h"

#include "core/mem.h"
#include "engine/engine.h"
#include "engine/path.h"

#include <assert.h>
#include <string.h>

/* States per expansion. */
#define BLOCK 64
#define SOLO_LEVEL 4096 /* a smaller level is searched by the calling thread only */

struct finder {
  struct backward *back;
  uint64_t *buffer; /* [LEVEL_PART] states */
  struct step_block block;
  uint64_t *successors; /* of one state */
  struct step_edge *edges;
  struct predecessors best;
};

/* ---- predecessors ---------------------------------------------------------------------------- */

bool predecessors_create(struct predecessors *self, uint32_t words, unsigned count) {
  *self = (struct predecessors){.words = words};
  self->states = mem_array((size_t)words * count, sizeof *self->states);
  self->edges = mem_array(count, sizeof *self->edges);
  return self->states && self->edges;
}

void predecessors_free(struct predecessors *self) {
  mem_free(self->states);
  mem_free(self->edges);
}

bool predecessors_improve(const struct predecessors *self, unsigned target, const uint64_t *state) {
  return !(self->found >> target & 1) || words_less(state, self->states + (size_t)target * self->words, self->words);
}

void predecessors_keep(struct predecessors *self, unsigned target, const uint64_t *state, struct step_edge edge) {
  self->found |= UINT64_C(1) << target;
  self->edges[target] = edge;
  memcpy(self->states + (size_t)target * self->words, state, self->words * sizeof *state);
}

/* ---- one level ------------------------------------------------------------------------------- */

/* Bit of a state in a mask of targets' bits. */
static uint64_t filter_bit(const uint64_t *state, uint32_t words) {
  uint64_t mix = state[0];
  for (uint32_t i = 1; i < words; i++)
    mix = (mix << 7 | mix >> 57) ^ state[i];
  return UINT64_C(1) << (mix * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

/* Number of the target that equals the state; target_count: none. */
static unsigned target_of(const struct backward *back, const uint64_t *state) {
  unsigned i = 0;
  if (!(back->filter & filter_bit(state, back->words)))
    return back->target_count;
  while (i < back->target_count && !words_equal(state, back->targets + (size_t)i * back->words, back->words))
    i++;
  return i;
}

/* Keeps `state` as predecessor of the targets that its firings lead to. Of several firings the first one counts. */
static void test_state(struct finder *finder, const uint64_t *state) {
  const struct backward *back = finder->back;
  const struct stepper *stepper = back->search->stepper;
  const size_t n = stepper->expand_one(stepper, state, finder->successors, finder->edges);
  for (size_t i = 0; i < n; i++) {
    if (finder->edges[i].site != NO_SITE)
      continue;
    const unsigned target = target_of(back, finder->successors + i * back->words);
    if (target < back->target_count && predecessors_improve(&finder->best, target, state))
      predecessors_keep(&finder->best, target, state, finder->edges[i]);
  }
}

static bool produced_target(const struct finder *finder) {
  const struct backward *back = finder->back;
  for (size_t i = 0; i < finder->block.produced; i++)
    if (target_of(back, finder->block.successors + i * back->words) < back->target_count)
      return true;
  return false;
}

/* Expands states in blocks, and examines each state only if its block produced a target. */
static void search_states(struct finder *finder, const uint64_t *states, size_t count) {
  struct step_block *block = &finder->block;
  const struct stepper *stepper = finder->back->search->stepper;
  uint32_t words = finder->back->words;
  block->states = states;
  block->count = count;
  block->next = 0;
  while (block->next < count) {
    size_t first = block->next;
    block->produced = 0;
    stepper->expand_block(stepper, block);
    assert(!block->broken); /* the exploration met no such successor */
    if (!produced_target(finder))
      continue;
    for (size_t i = first; i < block->next; i++)
      test_state(finder, states + i * words);
  }
}

/* Relaxed: a flag without data. */
static floe_status status_of(struct backward *back) {
  if (atomic_load_explicit(&back->failed, memory_order_relaxed))
    return FLOE_ERROR_IO;
  return stop_requested(&back->search->stop) ? FLOE_ERROR_UNSUPPORTED : FLOE_OK;
}

static void search_part(struct finder *finder, size_t part, unsigned member) {
  struct backward *back = finder->back;
  const struct level_source *levels = &back->search->levels;
  const uint64_t *states;
  size_t count;
  if (levels->read(levels->self, back->level, part, member, finder->buffer, &states, &count) != FLOE_OK) {
    atomic_store_explicit(&back->failed, true, memory_order_relaxed);
    return;
  }
  for (size_t i = 0; i < count; i += BLOCK)
    search_states(finder, states + i * back->words, count - i < BLOCK ? count - i : BLOCK);
}

static void search_level(void *data, unsigned member) {
  struct backward *back = data;
  const struct level_source *levels = &back->search->levels;
  const size_t parts = levels->parts(levels->self, back->level);
  while (status_of(back) == FLOE_OK) {
    /* Relaxed: tickets only have to differ. */
    const uint64_t part = atomic_fetch_add_explicit(&back->ticket, 1, memory_order_relaxed);
    if (part >= parts)
      return;
    search_part(&back->finders[member], (size_t)part, member);
  }
}

/* Gathers the predecessors that all threads found in the first finder. */
static struct predecessors *best_of_all(struct backward *back) {
  struct predecessors *best = &back->finders[0].best;
  for (unsigned i = 1; i < back->finder_count; i++) {
    const struct predecessors *other = &back->finders[i].best;
    for (uint64_t rest = other->found; rest; rest &= rest - 1) {
      const unsigned target = (unsigned)__builtin_ctzll(rest);
      const uint64_t *state = other->states + (size_t)target * back->words;
      if (predecessors_improve(best, target, state))
        predecessors_keep(best, target, state, other->edges[target]);
    }
  }
  return best;
}

static void set_filter(struct backward *back) {
  back->filter = 0;
  for (unsigned i = 0; i < back->target_count; i++)
    back->filter |= filter_bit(back->targets + (size_t)i * back->words, back->words);
}

floe_status backward_search(struct backward *back, struct predecessors **best) {
  const struct level_source *levels = &back->search->levels;
  set_filter(back);
  atomic_store_explicit(&back->ticket, 0, memory_order_relaxed); /* starting the pool publishes it */
  for (unsigned i = 0; i < back->finder_count; i++)
    back->finders[i].best.found = 0;
  if (levels->states(levels->self, back->level) < SOLO_LEVEL)
    search_level(back, 0);
  else
    pool_run(back->search->pool, search_level, back);
  *best = best_of_all(back);
  return status_of(back);
}

/* ---- creation -------------------------------------------------------------------------------- */

static void ignore_trigger(void *user, size_t index, uint64_t properties, struct step_error error) {
  (void)user, (void)index, (void)properties, (void)error;
}

static bool make_finder(struct backward *back, struct finder *finder) {
  uint32_t most = back->search->stepper->max_successors;
  size_t words = back->words;
  finder->back = back;
  finder->block.capacity = most + (size_t)4 * BLOCK;
  finder->block.on_trigger = ignore_trigger;
  finder->block.successors = mem_array(finder->block.capacity, words * sizeof(uint64_t));
  finder->block.fired = mem_array(back->search->transition_count, sizeof(uint64_t));
  finder->buffer = mem_array(LEVEL_PART, words * sizeof(uint64_t));
  finder->successors = mem_array(most, words * sizeof(uint64_t));
  finder->edges = mem_array(most, sizeof *finder->edges);
  return predecessors_create(&finder->best, back->words, PATHS_MOST) && finder->block.successors &&
         finder->block.fired && finder->buffer && finder->successors && finder->edges;
}

void backward_close(struct backward *back) {
  for (unsigned i = 0; back->finders && i < back->finder_count; i++) {
    struct finder *finder = &back->finders[i];
    mem_free(finder->block.successors);
    mem_free(finder->block.fired);
    mem_free(finder->buffer);
    mem_free(finder->successors);
    mem_free(finder->edges);
    predecessors_free(&finder->best);
  }
  mem_free(back->finders);
}

bool backward_open(struct backward *back, const struct path_search *search) {
  *back = (struct backward){.search = search, .words = search->stepper->words, .finder_count = pool_size(search->pool)};
  back->finders = mem_array(back->finder_count, sizeof *back->finders);
  for (unsigned i = 0; back->finders && i < back->finder_count; i++)
    if (!make_finder(back, &back->finders[i]))
      return false;
  return back->finders != NULL;
}
