#include "engine/trace/witness_path.h"

#include "core/mem.h"
#include "engine/comm/allgather.h"
#include "engine/engine.h"

#include <assert.h>
#include <string.h>

/* States per ticket, and per expansion. */
#define TICKET 2048
#define BLOCK 64
#define SOLO_LEVEL 4096 /* a smaller level is searched by the calling thread only */

struct finder {
  struct backward *back;
  uint64_t *states; /* [TICKET] */
  struct step_block block;
  uint64_t *successors; /* of one state */
  struct step_edge *edges;
  uint64_t *best; /* least predecessor found so far */
  struct step_edge edge;
  bool found;
};

struct backward {
  const struct path_search *search;
  uint32_t words, level;
  const uint64_t *target;
  struct finder *finders;
  unsigned finder_count;
  atomic_uint_fast64_t ticket;
  atomic_bool failed; /* reading the archive failed */
};

static bool states_equal(const uint64_t *a, const uint64_t *b, uint32_t words) {
  return memcmp(a, b, words * sizeof *a) == 0;
}

/* ---- one level ------------------------------------------------------------------------------- */

/* Finds the first firing of `state` that leads to the target. */
static bool find_edge(struct finder *finder, const uint64_t *state, struct step_edge *edge) {
  struct backward *back = finder->back;
  const struct stepper *stepper = back->search->stepper;
  size_t n = stepper->expand_one(stepper, state, finder->successors, finder->edges);
  for (size_t i = 0; i < n; i++) {
    const uint64_t *successor = finder->successors + i * back->words;
    if (finder->edges[i].site == NO_SITE && states_equal(successor, back->target, back->words)) {
      *edge = finder->edges[i];
      return true;
    }
  }
  return false;
}

static void test_state(struct finder *finder, const uint64_t *state) {
  uint32_t words = finder->back->words;
  if (finder->found && !words_less(state, finder->best, words))
    return;
  if (!find_edge(finder, state, &finder->edge))
    return;
  finder->found = true;
  memcpy(finder->best, state, words * sizeof *state);
}

static bool produced_target(const struct finder *finder) {
  uint32_t words = finder->back->words;
  for (size_t i = 0; i < finder->block.produced; i++)
    if (states_equal(finder->block.successors + i * words, finder->back->target, words))
      return true;
  return false;
}

/* Expands states in blocks, and examines each state only if its block produced the target. */
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

/* Relaxed: flags without data. */
static floe_status status_of(struct backward *back) {
  if (atomic_load_explicit(&back->failed, memory_order_relaxed))
    return FLOE_ERROR_IO;
  return atomic_load_explicit(back->search->interrupt, memory_order_relaxed) ? FLOE_ERROR_UNSUPPORTED : FLOE_OK;
}

static void search_ticket(struct finder *finder, uint64_t first, size_t count) {
  struct backward *back = finder->back;
  if (archive_read(back->search->archive, back->level, first, count, finder->states) != FLOE_OK) {
    atomic_store_explicit(&back->failed, true, memory_order_relaxed);
    return;
  }
  for (size_t i = 0; i < count; i += BLOCK)
    search_states(finder, finder->states + i * back->words, count - i < BLOCK ? count - i : BLOCK);
}

static void search_level(void *data, unsigned member) {
  struct backward *back = data;
  uint64_t states = archive_states(back->search->archive, back->level);
  while (status_of(back) == FLOE_OK) {
    /* Relaxed: tickets only have to differ. */
    uint64_t first = TICKET * atomic_fetch_add_explicit(&back->ticket, 1, memory_order_relaxed);
    if (first >= states)
      return;
    uint64_t rest = states - first;
    search_ticket(&back->finders[member], first, rest < TICKET ? (size_t)rest : TICKET);
  }
}

/* Finder with the least predecessor; NULL: none was found. */
static const struct finder *best_finder(const struct backward *back) {
  const struct finder *best = NULL;
  for (unsigned i = 0; i < back->finder_count; i++) {
    const struct finder *finder = &back->finders[i];
    if (finder->found && (!best || words_less(finder->best, best->best, back->words)))
      best = finder;
  }
  return best;
}

/* ---- distributed search ---------------------------------------------------------------------- */

struct predecessor_request {
  uint32_t command, level; /* COMMAND_FIND_PREDECESSOR */
  uint64_t target[];
};

struct predecessor_reply {
  uint32_t status; /* floe_status, as of path_find; the rest is valid for FLOE_OK */
  uint32_t found;  /* 1: there is a predecessor */
  struct step_edge edge;
  uint64_t state[];
};

static floe_status send_request(const struct backward *back) {
  struct comm *comm = back->search->comm;
  const size_t bytes = sizeof(struct predecessor_request) + back->words * sizeof(uint64_t);
  struct predecessor_request *request = mem_alloc(bytes);
  if (!request)
    return FLOE_ERROR_MEMORY;
  *request = (struct predecessor_request){.command = COMMAND_FIND_PREDECESSOR, .level = back->level};
  memcpy(request->target, back->target, back->words * sizeof(uint64_t));
  comm_next_epoch(comm);
  comm_send_all(comm, MSG_COMMAND, 0, request, bytes);
  mem_free(request);
  return FLOE_OK;
}

/* Gathers the results on rank 0. A member that cannot search sends its status. */
static floe_status send_reply(struct backward *back, const struct finder *best, floe_status searched,
                              struct all_gathered *out) {
  const struct stop stop = {.interrupt = back->search->interrupt};
  const size_t bytes = sizeof(struct predecessor_reply) + back->words * sizeof(uint64_t);
  struct predecessor_reply *reply = searched == FLOE_OK ? mem_alloc(bytes) : NULL;
  const struct predecessor_reply none = {.status = (uint32_t)(searched == FLOE_OK ? FLOE_ERROR_MEMORY : searched)};
  if (!reply)
    return gather_to_root(back->search->comm, &none, sizeof none, &stop, out);
  reply->status = FLOE_OK;
  reply->found = best != NULL;
  if (best) {
    reply->edge = best->edge;
    memcpy(reply->state, best->best, back->words * sizeof(uint64_t));
  }
  const floe_status status = gather_to_root(back->search->comm, reply, bytes, &stop, out);
  mem_free(reply);
  return status;
}

/* Stores the least predecessor of all members in the first finder. Returns the error of a member that could not
   search. */
static floe_status reduce_replies(struct backward *back, const struct all_gathered *all, const struct finder **best) {
  struct finder *first = &back->finders[0];
  first->found = false;
  for (unsigned i = 0; i < back->search->comm->group->size; i++) {
    const struct predecessor_reply *reply = (const struct predecessor_reply *)all->by[i].content;
    if (reply->status != FLOE_OK)
      return (floe_status)reply->status;
    if (!reply->found || (first->found && !words_less(reply->state, first->best, back->words)))
      continue;
    first->found = true;
    first->edge = reply->edge;
    memcpy(first->best, reply->state, back->words * sizeof(uint64_t));
  }
  *best = first->found ? first : NULL;
  return FLOE_OK;
}

static floe_status choose_best(struct backward *back, const struct finder **best) {
  const floe_status searched = status_of(back);
  struct all_gathered all;
  *best = best_finder(back);
  if (!back->search->comm)
    return searched;
  FLOE_TRY(send_reply(back, *best, searched, &all));
  const floe_status status = reduce_replies(back, &all, best);
  gathered_free(&all);
  if (status == FLOE_ERROR_UNSUPPORTED) /* a member was interrupted: interrupt later searches of this run as well */
    atomic_store_explicit(back->search->interrupt, true, memory_order_relaxed);
  return status;
}

static void search_own_states(struct backward *back) {
  atomic_store_explicit(&back->ticket, 0, memory_order_relaxed); /* starting the pool publishes it */
  for (unsigned i = 0; i < back->finder_count; i++)
    back->finders[i].found = false;
  if (archive_states(back->search->archive, back->level) < SOLO_LEVEL)
    search_level(back, 0);
  else
    pool_run(back->search->pool, search_level, back);
}

static floe_status step_back(struct backward *back, uint32_t level, struct path *path) {
  back->level = level;
  back->target = path->states + (level + 1) * (size_t)back->words;
  if (back->search->comm)
    FLOE_TRY(send_request(back));
  search_own_states(back);
  const struct finder *best;
  FLOE_TRY(choose_best(back, &best));
  if (!best)
    return FLOE_ERROR_INTERNAL;
  memcpy(path->states + level * (size_t)back->words, best->best, back->words * sizeof(uint64_t));
  path->edges[level] = best->edge;
  return FLOE_OK;
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
  finder->states = mem_array(TICKET, words * sizeof(uint64_t));
  finder->successors = mem_array(most, words * sizeof(uint64_t));
  finder->edges = mem_array(most, sizeof *finder->edges);
  finder->best = mem_array(words, sizeof(uint64_t));
  return finder->block.successors && finder->block.fired && finder->states && finder->successors && finder->edges &&
         finder->best;
}

static void free_finders(struct backward *back) {
  for (unsigned i = 0; back->finders && i < back->finder_count; i++) {
    struct finder *finder = &back->finders[i];
    mem_free(finder->block.successors);
    mem_free(finder->block.fired);
    mem_free(finder->states);
    mem_free(finder->successors);
    mem_free(finder->edges);
    mem_free(finder->best);
  }
  mem_free(back->finders);
}

static bool make_finders(struct backward *back) {
  back->finders = mem_array(back->finder_count, sizeof *back->finders);
  for (unsigned i = 0; back->finders && i < back->finder_count; i++)
    if (!make_finder(back, &back->finders[i]))
      return false;
  return back->finders != NULL;
}

static bool make_path(struct path *path, uint32_t depth, const uint64_t *target, uint32_t words) {
  *path = (struct path){.steps = depth};
  path->states = mem_array((size_t)depth + 1, words * sizeof(uint64_t));
  path->edges = mem_array(depth, sizeof *path->edges);
  if (!path->states || !path->edges)
    return false;
  memcpy(path->states + depth * (size_t)words, target, words * sizeof *target);
  return true;
}

void path_free(struct path *path) {
  mem_free(path->states);
  mem_free(path->edges);
  *path = (struct path){0};
}

floe_status path_serve(const struct path_search *search, const void *content, size_t bytes, bool *interrupted) {
  const struct predecessor_request *request = content;
  struct backward back = {.search = search,
                          .words = search->stepper->words,
                          .level = request->level,
                          .target = request->target,
                          .finder_count = pool_size(search->pool)};
  assert(bytes == sizeof *request + back.words * sizeof(uint64_t) && search->comm->group->rank > 0);
  struct all_gathered all = {NULL, NULL};
  floe_status searched = make_finders(&back) ? FLOE_OK : FLOE_ERROR_MEMORY;
  if (searched == FLOE_OK) {
    search_own_states(&back);
    searched = status_of(&back);
  }
  *interrupted = searched == FLOE_ERROR_UNSUPPORTED;
  const floe_status status = send_reply(&back, searched == FLOE_OK ? best_finder(&back) : NULL, searched, &all);
  free_finders(&back);
  return status;
}

floe_status path_find(const struct path_search *search, uint32_t depth, const uint64_t *target, struct path *out) {
  struct backward back = {.search = search, .words = search->stepper->words, .finder_count = pool_size(search->pool)};
  struct path path;
  floe_status status = FLOE_OK;
  if (!make_path(&path, depth, target, back.words) || !make_finders(&back))
    status = FLOE_ERROR_MEMORY;
  for (uint32_t level = depth; status == FLOE_OK && level-- > 0;)
    status = step_back(&back, level, &path);
  free_finders(&back);
  if (status == FLOE_OK)
    *out = path;
  else
    path_free(&path);
  return status;
}
