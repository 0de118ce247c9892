/* Numbers the states of a graph breadth first: in the order in which a single thread finds them, for any number of
   threads. A batch of states is expanded in blocks. Every successor has a position in that order. It is inserted into
   the hash table with its position, and of equal states the least position remains. Then the remaining ones are
   counted, block by block, which gives their numbers. If memory suffices, the numbers of all successors are stored. */
#include "api/graph/graph.h"

#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "engine/engine.h"

#include <assert.h>
#include <string.h>

#define FIRST_STATES 1024
#define FIRST_SLOTS (2 * FIRST_STATES)
#define MOST_STATES (GRAPH_PROVISIONAL - 1)
#define POLL_STATES 1024 /* between two checks of clock and interrupt */
#define BLOCK_STATES 128
#define MOST_BLOCKS 256
#define BLOCK_ROOM ((size_t)1 << 14) /* successors, unless one state may have more */
#define MOST_POSITIONS ((uint64_t)1 << 27)
#define SHARE 8 /* the blocks take at most 1 / SHARE of the memory */
#define REHASH_STATES 4096

/* A successor that was not in the table before this batch. */
struct fresh {
  uint64_t slot;
  uint32_t at; /* in the block */
  bool first;  /* of equal successors; before mark_first: so far */
};

/* Result of a lookup: the state's number, or the slot that will hold it. */
struct found {
  bool known;
  uint32_t number;
  struct fresh fresh; /* without `at` */
};

struct block {
  uint64_t first; /* first state that it expands */
  uint32_t states;
  uint64_t *successors;                 /* [room][words] */
  struct fresh *fresh;                  /* [room] */
  uint32_t n, fresh_count, first_count; /* first_count: fresh ones with `first` */
  uint64_t failing, number;             /* number: of its first new state */
  uint32_t failed_site;                 /* failing > 0: of one of them */
  uint64_t target;                      /* position of its first successor in graph->targets.list */
};

struct graph_search {
  floe_graph *graph;
  size_t room; /* successors of a block */
  uint32_t block_states, most_blocks;
  struct block *blocks; /* [most_blocks] allocated at first use */
  uint32_t count;       /* of the blocks in this batch */
  atomic_uint next;     /* next block to be taken by a thread */
  void (*work)(struct graph_search *search, struct block *block, struct graph_thread *worker);
  _Atomic uint64_t rehashed; /* states taken so far for rehashing */
};

static size_t state_bytes(const floe_graph *graph) { return graph->layout->words * sizeof(uint64_t); }

static size_t block_bytes(const struct graph_search *search) {
  return search->room * (state_bytes(search->graph) + sizeof(struct fresh));
}

static void finish(floe_graph *graph, floe_end end) {
  graph->ended = true;
  graph->end = end;
}

static void check_limits(floe_graph *graph) {
  if (interrupt_requested())
    finish(graph, FLOE_END_INTERRUPT);
  else if (stop_deadline_passed(&graph->stop))
    finish(graph, FLOE_END_TIMEOUT);
}

/* ---- memory ---------------------------------------------------------------------------------- */

#define FIRST_TARGETS 4096

static uint64_t begins(uint64_t states) { return states / TARGET_STATES + 1; }

static bool is_allowed(const floe_graph *graph, uint64_t states, uint64_t slots, uint64_t targets) {
  uint64_t bytes = states * state_bytes(graph) + slots * sizeof *graph->slots;
  if (graph->targets.list)
    bytes += targets * sizeof *graph->targets.list + begins(states) * sizeof *graph->targets.begins;
  return bytes + graph->search->most_blocks * (uint64_t)block_bytes(graph->search) <= graph->options.memory;
}

/* Frees the targets if memory is short. */
static bool make_room_for(floe_graph *graph, uint64_t states, uint64_t slots) {
  if (is_allowed(graph, states, slots, graph->targets.capacity))
    return true;
  graph_drop_targets(graph);
  return is_allowed(graph, states, slots, 0);
}

static void grow_begins(floe_graph *graph, uint64_t states) {
  uint64_t *more = graph->targets.list ? mem_resize(graph->targets.begins, begins(states) * sizeof *more) : NULL;
  if (more)
    graph->targets.begins = more;
  else
    graph_drop_targets(graph);
}

static bool grow_states(floe_graph *graph, uint64_t need) {
  uint64_t capacity = graph->capacity ? graph->capacity : FIRST_STATES;
  if (need > MOST_STATES)
    return false;
  while (capacity < need)
    capacity *= 2;
  if (capacity == graph->capacity)
    return true;
  if (!make_room_for(graph, capacity + graph->capacity, graph->slot_count))
    return false;
  uint64_t *states = mem_resize(graph->states, capacity * state_bytes(graph));
  if (!states)
    return false;
  graph->states = states;
  graph->capacity = capacity;
  grow_begins(graph, capacity);
  return true;
}

static void grow_targets(floe_graph *graph, uint64_t need) {
  uint64_t capacity = graph->targets.capacity;
  if (!graph->targets.list || need <= capacity)
    return;
  while (capacity < need)
    capacity *= 2;
  uint32_t *targets = is_allowed(graph, graph->capacity, graph->slot_count, capacity + graph->targets.capacity)
                          ? mem_resize(graph->targets.list, capacity * sizeof *targets)
                          : NULL;
  if (!targets) {
    graph_drop_targets(graph);
    return;
  }
  graph->targets.list = targets;
  graph->targets.capacity = capacity;
}

static uint64_t home(const floe_graph *graph, const uint64_t *state) {
  return engine_state_mix(state, graph->layout->words) & (graph->slot_count - 1);
}

/* All states differ, so any empty slot will do. Relaxed here and below: a slot holds a number, and the states were
   written before this step of the batch began. */
static void reinsert(floe_graph *graph, uint64_t number) {
  uint64_t at = home(graph, graph_state(graph, number));
  for (uint32_t empty = 0; !atomic_compare_exchange_strong_explicit(&graph->slots[at], &empty, (uint32_t)number + 1,
                                                                    memory_order_relaxed, memory_order_relaxed);
       empty = 0)
    at = (at + 1) & (graph->slot_count - 1);
}

static void rehash(void *user, unsigned worker) {
  struct graph_search *search = user;
  floe_graph *graph = search->graph;
  uint64_t from;
  (void)worker;
  while ((from = atomic_fetch_add_explicit(&search->rehashed, REHASH_STATES, memory_order_relaxed)) < graph->count)
    for (uint64_t i = from; i < graph->count && i < from + REHASH_STATES; i++)
      reinsert(graph, i);
}

/* At most three of four slots are used during a batch, and one of two after it, except after the last one. */
static bool grow_slots(floe_graph *graph, uint64_t more) {
  uint64_t slots = graph->slot_count ? graph->slot_count : FIRST_SLOTS;
  while (slots / 4 * 3 < graph->count + more || slots < 2 * graph->count)
    slots *= 2;
  if (slots == graph->slot_count)
    return true;
  if (!make_room_for(graph, graph->capacity, slots + graph->slot_count))
    return false;
  _Atomic uint32_t *fresh = mem_array(slots, sizeof *fresh);
  if (!fresh)
    return false;
  mem_free(graph->slots);
  graph->slots = fresh;
  graph->slot_count = slots;
  atomic_store_explicit(&graph->search->rehashed, 0, memory_order_relaxed);
  if (graph->count > 4 * REHASH_STATES)
    graph_parallel(graph, rehash, graph->search);
  else
    rehash(graph->search, 0);
  return true;
}

/* ---- steps of a batch ------------------------------------------------------------------------ */

/* Failing firings have no successor: they are counted, and the others move up. */
static void expand_state(const floe_graph *graph, struct block *block, uint64_t number, struct graph_thread *worker) {
  const uint32_t words = graph->layout->words;
  uint64_t *to = block->successors + (size_t)block->n * words;
  size_t n = graph->stepper->expand_one(graph->stepper, graph_state(graph, number), to, worker->edges);
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    if (worker->edges[i].site != NO_SITE) {
      block->failed_site = worker->edges[i].site;
      continue;
    }
    if (kept < i)
      memcpy(to + kept * words, to + i * words, words * sizeof *to);
    kept++;
  }
  block->failing += n - kept;
  block->n += (uint32_t)kept;
}

/* Expanding may take long: every block checks for a stop request. */
static void expand_block(struct graph_search *search, struct block *block, struct graph_thread *worker) {
  block->n = block->fresh_count = block->first_count = 0;
  block->failing = 0;
  if (search->count > 1 && stop_requested(&search->graph->stop))
    return;
  for (uint32_t i = 0; i < block->states; i++) {
    const uint64_t number = block->first + i;
    if (number % TARGET_STATES == 0 && search->graph->targets.list)
      search->graph->targets.begins[number / TARGET_STATES] = block->n;
    expand_state(search->graph, block, number, worker);
  }
}

static const uint64_t *successor_at(const struct graph_search *search, uint32_t position) {
  const struct block *block = &search->blocks[position / search->room];
  return block->successors + position % search->room * search->graph->layout->words;
}

static const uint64_t *held_state(const struct graph_search *search, uint32_t held) {
  return held < GRAPH_PROVISIONAL ? graph_state(search->graph, held - 1)
                                  : successor_at(search, held - GRAPH_PROVISIONAL);
}

/* Stores the lesser of two positions of one state. True: it is `mine`. */
static bool put_least(_Atomic uint32_t *slot, uint32_t held, uint32_t mine) {
  while (mine < held)
    if (atomic_compare_exchange_weak_explicit(slot, &held, mine, memory_order_relaxed, memory_order_relaxed))
      return true;
  return false;
}

static struct found find_or_put(struct graph_search *search, const uint64_t *state, uint32_t mine, uint64_t at) {
  floe_graph *graph = search->graph;
  for (;; at = (at + 1) & (graph->slot_count - 1)) {
    uint32_t held = atomic_load_explicit(&graph->slots[at], memory_order_relaxed);
    if (!held && atomic_compare_exchange_strong_explicit(&graph->slots[at], &held, mine, memory_order_relaxed,
                                                         memory_order_relaxed))
      return (struct found){.fresh = {.slot = at, .first = true}};
    if (!graph_equal(held_state(search, held), state, graph->layout->words))
      continue;
    if (held < GRAPH_PROVISIONAL)
      return (struct found){.known = true, .number = held - 1};
    return (struct found){.fresh = {.slot = at, .first = put_least(&graph->slots[at], held, mine)}};
  }
}

#define AHEAD 32 /* distance, in successors, at which slots are prefetched */
#define NEAR 16  /* distance at which the states in the slots are prefetched */

/* For numbered states: the others are in this batch's blocks. */
static void fetch_state(const floe_graph *graph, uint64_t slot) {
  uint32_t held = atomic_load_explicit(&graph->slots[slot], memory_order_relaxed);
  if (held && held < GRAPH_PROVISIONAL)
    __builtin_prefetch(graph_state(graph, held - 1));
}

static void put_one(struct graph_search *search, struct block *block, uint32_t which, uint64_t home) {
  const uint32_t first = GRAPH_PROVISIONAL + (uint32_t)((size_t)(block - search->blocks) * search->room);
  const uint64_t *state = block->successors + (size_t)which * search->graph->layout->words;
  uint32_t *targets = search->graph->targets.list;
  struct found found = find_or_put(search, state, first + which, home);
  found.fresh.at = which;
  if (found.known && targets)
    targets[block->target + which] = found.number;
  else if (!found.known && (found.fresh.first || targets))
    block->fresh[block->fresh_count++] = found.fresh;
}

static void put_block(struct graph_search *search, struct block *block, struct graph_thread *worker) {
  floe_graph *graph = search->graph;
  const uint32_t words = graph->layout->words;
  uint64_t at[AHEAD];
  (void)worker;
  for (uint32_t i = 0; i < block->n + AHEAD; i++) {
    if (i >= AHEAD)
      put_one(search, block, i - AHEAD, at[i % AHEAD]);
    if (i >= NEAR && i - NEAR < block->n)
      fetch_state(graph, at[(i - NEAR) % AHEAD]);
    if (i < block->n) {
      at[i % AHEAD] = home(graph, block->successors + (size_t)i * words);
      __builtin_prefetch((const void *)&graph->slots[at[i % AHEAD]], 1);
    }
  }
}

/* After all were inserted: which successors are the first of their state. */
static void mark_first(struct graph_search *search, struct block *block, struct graph_thread *worker) {
  const uint32_t first = GRAPH_PROVISIONAL + (uint32_t)((size_t)(block - search->blocks) * search->room);
  (void)worker;
  for (uint32_t i = 0; i < block->fresh_count; i++) {
    struct fresh *fresh = &block->fresh[i];
    fresh->first = fresh->first &&
                   atomic_load_explicit(&search->graph->slots[fresh->slot], memory_order_relaxed) == first + fresh->at;
    block->first_count += fresh->first;
  }
}

static void number_block(struct graph_search *search, struct block *block, struct graph_thread *worker) {
  floe_graph *graph = search->graph;
  const uint32_t words = graph->layout->words;
  uint64_t number = block->number;
  (void)worker;
  for (uint32_t i = 0; i < block->fresh_count; i++) {
    if (!block->fresh[i].first)
      continue;
    memcpy(graph_state(graph, number), block->successors + (size_t)block->fresh[i].at * words,
           words * sizeof(uint64_t));
    atomic_store_explicit(&graph->slots[block->fresh[i].slot], (uint32_t)++number, memory_order_relaxed);
  }
}

/* After all new states have numbers. */
static void set_targets(struct graph_search *search, struct block *block, struct graph_thread *worker) {
  floe_graph *graph = search->graph;
  (void)worker;
  for (uint32_t i = 0; i < block->fresh_count; i++)
    graph->targets.list[block->target + block->fresh[i].at] =
        atomic_load_explicit(&graph->slots[block->fresh[i].slot], memory_order_relaxed) - 1;
}

static void take_blocks(void *user, unsigned worker) {
  struct graph_search *search = user;
  unsigned i;
  while ((i = atomic_fetch_add_explicit(&search->next, 1, memory_order_relaxed)) < search->count)
    search->work(search, &search->blocks[i], &search->graph->workers[worker]);
}

static void each_block(struct graph_search *search,
                       void (*work)(struct graph_search *, struct block *, struct graph_thread *)) {
  if (search->count == 1) {
    work(search, &search->blocks[0], &search->graph->workers[0]);
    return;
  }
  search->work = work;
  atomic_store_explicit(&search->next, 0, memory_order_relaxed);
  graph_parallel(search->graph, take_blocks, search);
}

/* ---- batches --------------------------------------------------------------------------------- */

static bool open_block(struct graph_search *search, struct block *block) {
  const uint32_t words = search->graph->layout->words;
  if (!block->successors)
    block->successors = mem_array(search->room, words * sizeof *block->successors);
  if (!block->fresh)
    block->fresh = mem_array(search->room, sizeof *block->fresh);
  return block->successors && block->fresh;
}

static bool divide_batch(struct graph_search *search, uint64_t first, uint64_t states) {
  search->count = 0;
  for (uint64_t assigned = 0; assigned < states; search->count++) {
    struct block *block = &search->blocks[search->count];
    uint64_t left = states - assigned;
    block->first = first + assigned;
    block->states = left < search->block_states ? (uint32_t)left : search->block_states;
    assigned += block->states;
    if (!open_block(search, block))
      return false;
  }
  return true;
}

/* Converts positions within the block to positions in graph->targets.list. */
static void set_target_begins(floe_graph *graph, const struct block *block) {
  uint64_t i = (block->first + TARGET_STATES - 1) / TARGET_STATES;
  for (; graph->targets.list && i * TARGET_STATES < block->first + block->states; i++)
    graph->targets.begins[i] += block->target;
}

static uint64_t count_successors(struct graph_search *search) {
  uint64_t successors = 0;
  for (uint32_t i = 0; i < search->count; i++) {
    search->blocks[i].target = search->graph->transitions + successors;
    set_target_begins(search->graph, &search->blocks[i]);
    successors += search->blocks[i].n;
    if (search->blocks[i].failing) {
      search->graph->failing += search->blocks[i].failing;
      search->graph->failed_site = search->blocks[i].failed_site;
    }
  }
  search->graph->transitions += successors;
  return successors;
}

/* False: no memory. */
static bool number_states(struct graph_search *search) {
  floe_graph *graph = search->graph;
  uint64_t count = graph->count;
  for (uint32_t i = 0; i < search->count; i++) {
    search->blocks[i].number = count;
    count += search->blocks[i].first_count;
  }
  if (!grow_states(graph, count))
    return false;
  each_block(search, number_block);
  if (graph->targets.list)
    each_block(search, set_targets);
  graph->count = count;
  return true;
}

static void explore_batch(struct graph_search *search, uint64_t first, uint64_t states) {
  floe_graph *graph = search->graph;
  if (!divide_batch(search, first, states)) {
    finish(graph, FLOE_END_MEMORY);
    return;
  }
  each_block(search, expand_block);
  if (search->count > 1)
    check_limits(graph);
  if (graph->ended)
    return;
  if (!grow_slots(graph, count_successors(search))) {
    finish(graph, FLOE_END_MEMORY);
    return;
  }
  grow_targets(graph, graph->transitions);
  each_block(search, put_block);
  each_block(search, mark_first);
  if (!number_states(search))
    finish(graph, FLOE_END_MEMORY);
  else if (graph->count > graph->options.max_states)
    finish(graph, FLOE_END_STATES);
}

static void explore_states(struct graph_search *search) {
  floe_graph *graph = search->graph;
  const uint64_t most = (uint64_t)search->most_blocks * search->block_states;
  uint64_t next_check = 0;
  for (uint64_t next = 0; next < graph->count && !graph->ended;) {
    if (next >= next_check) {
      check_limits(graph);
      next_check = next + POLL_STATES;
    }
    if (graph->ended)
      return;
    uint64_t states = graph->count - next < most ? graph->count - next : most;
    explore_batch(search, next, states);
    next += states;
  }
}

static floe_status start_search(struct graph_search *search) {
  floe_graph *graph = search->graph;
  const size_t most = graph->stepper->max_successors ? graph->stepper->max_successors : 1;
  search->block_states = most * BLOCK_STATES <= BLOCK_ROOM ? BLOCK_STATES : most <= BLOCK_ROOM ? BLOCK_ROOM / most : 1;
  search->room = search->block_states * most;
  uint64_t blocks = graph->options.memory / SHARE / block_bytes(search);
  uint64_t positions = MOST_POSITIONS / search->room;
  blocks = blocks > positions ? positions : blocks;
  search->most_blocks = blocks < 1 ? 1 : blocks > MOST_BLOCKS ? MOST_BLOCKS : (uint32_t)blocks;
  search->blocks = mem_array(search->most_blocks, sizeof *search->blocks);
  graph->targets.list = mem_array(FIRST_TARGETS, sizeof *graph->targets.list); /* NULL: targets are not stored */
  graph->targets.capacity = graph->targets.list ? FIRST_TARGETS : 0;
  if (!search->blocks || !grow_states(graph, 1) || !grow_slots(graph, 1))
    return FLOE_ERROR_MEMORY;
  layout_initial(graph->model, graph->layout, graph->states);
  reinsert(graph, 0);
  graph->count = 1;
  return FLOE_OK;
}

floe_status graph_search_run(floe_graph *graph) {
  struct graph_search search = {.graph = graph};
  graph->search = &search;
  floe_status status = start_search(&search);
  if (status == FLOE_OK)
    explore_states(&search);
  for (uint32_t i = 0; search.blocks && i < search.most_blocks; i++) {
    mem_free(search.blocks[i].successors);
    mem_free(search.blocks[i].fresh);
  }
  mem_free(search.blocks);
  graph->search = NULL;
  return status;
}
