/* States of several words in the CPU's rank: what waits and is put into the set are roots of a tree (tree/tree.h), and
   workers expand states and find successors in full. */
#include "engine/cpu/cpu_search.h"

#include "core/mem.h"
#include "engine/comm/exchange.h"

#include <assert.h>
#include <string.h>

#define FIRST_NUMBERS 1024 /* of a table */

/* A worker's. */
struct named {
  struct tree_user *user;
  struct tree_namer *namer;
  uint64_t *grain;                  /* [most] states that are expanded */
  uint64_t *some;                   /* [BATCH] states that somebody wants to see */
  uint64_t *roots;                  /* [capacity of the block] of successors */
  uint32_t *numbers, *some_numbers; /* of `grain` and `some`, all tables' */
  struct tree_change *changes;      /* [words] those of the block */
  size_t *next;                     /* [words] in these */
  size_t first;                     /* in `grain`, of the states whose successors are in the block */
  size_t most, bytes;
};

/* ---- creation ------------------------------------------------------------------------------------ */

static bool create_changes(struct step_block *block, size_t words) {
  block->changes = mem_array(words, sizeof *block->changes);
  for (size_t w = 0; block->changes && w < words; w++) {
    block->changes[w].contents = mem_array(block->capacity, sizeof(uint64_t));
    block->changes[w].successors = mem_array(block->capacity, sizeof(uint32_t));
    if (!block->changes[w].contents || !block->changes[w].successors)
      return false;
  }
  return block->changes;
}

static void free_changes(struct step_block *block, size_t words) {
  for (size_t w = 0; block->changes && w < words; w++) {
    mem_free(block->changes[w].contents);
    mem_free(block->changes[w].successors);
  }
  mem_free(block->changes);
  block->changes = NULL;
}

static size_t bytes_of(const struct rank *rank, const struct worker *worker) {
  const size_t words = rank->state_words, tables = tree_tables(rank->state_words), capacity = worker->block.capacity;
  return (RANK_LARGEST_GRAIN + BATCH) * (words * sizeof(uint64_t) + tables * sizeof(uint32_t)) +
         RANK_LARGEST_GRAIN * sizeof(uint32_t) + capacity * sizeof(uint64_t) +
         capacity * words * (sizeof(uint64_t) + sizeof(uint32_t)) + tree_user_bytes(rank->tree) +
         tree_namer_bytes(rank->tree, capacity);
}

static bool create_names(struct rank *rank, struct worker *worker) {
  const size_t words = rank->state_words, tables = tree_tables(rank->state_words);
  struct step_block *block = &worker->block;
  struct named *names = worker->names = mem_alloc(sizeof *names);
  if (!names)
    return false;
  names->most = RANK_LARGEST_GRAIN;
  names->bytes = bytes_of(rank, worker);
  if (!budget_take(&rank->budget, names->bytes)) {
    names->bytes = 0;
    return false;
  }
  names->grain = mem_array(names->most, words * sizeof *names->grain);
  names->some = mem_array(BATCH, words * sizeof *names->some);
  names->numbers = mem_array(names->most, tables * sizeof *names->numbers);
  names->some_numbers = mem_array(BATCH, tables * sizeof *names->some_numbers);
  names->changes = mem_array(words, sizeof *names->changes);
  names->next = mem_array(words, sizeof *names->next);
  names->roots = worker->keys = mem_array(block->capacity, sizeof *names->roots);
  block->ends = mem_array(names->most, sizeof *block->ends);
  return names->grain && names->some && names->numbers && names->some_numbers && names->changes && names->next &&
         names->roots && block->ends && create_changes(block, words) &&
         tree_user_create(rank->tree, &names->user) == FLOE_OK &&
         tree_namer_create(rank->tree, block->capacity, &names->namer) == FLOE_OK;
}

static void free_names(struct rank *rank, struct worker *worker) {
  struct named *names = worker->names;
  if (!names)
    return;
  budget_give(&rank->budget, names->bytes);
  tree_user_free(names->user);
  tree_namer_free(names->namer);
  free_changes(&worker->block, rank->state_words);
  mem_free(names->grain);
  mem_free(names->some);
  mem_free(names->numbers);
  mem_free(names->some_numbers);
  mem_free(names->changes);
  mem_free(names->next);
  mem_free(worker->block.ends);
  mem_free(names->roots);
  mem_free(names);
  worker->names = NULL;
}

floe_status wide_open(struct rank *rank) {
  const uint64_t asked = rank->search->task->first_numbers, numbers = asked ? asked : FIRST_NUMBERS;
  if (rank->state_words == 1)
    return FLOE_OK;
  if (!budget_take(&rank->budget, tree_first_bytes(rank->state_words, rank->worker_count, numbers)))
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(tree_create(rank->state_words, rank->worker_count, numbers, &rank->tree));
  tree_root_bits(rank->tree, rank->root_bits);
  for (unsigned i = 0; i < rank->worker_count; i++)
    if (!create_names(rank, &rank->workers[i]))
      return FLOE_ERROR_MEMORY;
  return FLOE_OK;
}

void wide_close(struct rank *rank) {
  for (unsigned i = 0; rank->workers && i < rank->worker_count; i++)
    free_names(rank, &rank->workers[i]);
  if (rank->tree)
    budget_give(&rank->budget, tree_bytes(rank->tree));
  tree_free(rank->tree);
  rank->tree = NULL;
}

/* ---- states from roots --------------------------------------------------------------------------- */

uint64_t *wide_states(struct worker *worker, const uint64_t *roots, size_t n) {
  struct named *names = worker->names;
  assert(n <= names->most);
  tree_states(worker->rank->tree, roots, n, names->numbers, names->grain);
  return names->grain;
}

const uint64_t *wide_some(struct worker *worker, const uint64_t *roots, size_t n) {
  struct named *names = worker->names;
  assert(n <= BATCH);
  tree_states(worker->rank->tree, roots, n, names->some_numbers, names->some);
  return names->some;
}

void wide_visit(struct worker *worker, const uint64_t *roots, size_t n, rank_visitor *visit, void *user) {
  for (size_t at = 0, some; at < n; at += some) {
    some = n - at < BATCH ? n - at : BATCH;
    visit(user, wide_some(worker, roots + at, some), some);
  }
}

/* ---- roots from states --------------------------------------------------------------------------- */

size_t wide_roots(struct worker *worker, const uint64_t *states, size_t n, uint64_t *roots) {
  if (worker->rank->narrow)
    return 0;
  return tree_roots(worker->rank->tree, worker->names->user, states, n, roots);
}

void wide_expanding(struct worker *worker) {
  struct step_block *block = &worker->block;
  worker->names->first = block->next;
  for (uint32_t w = 0; w < worker->rank->state_words; w++)
    block->changes[w].count = 0;
  tree_namer_begin(worker->names->namer);
}

bool wide_name(struct worker *worker) {
  const struct rank *rank = worker->rank;
  const struct step_block *block = &worker->block;
  struct named *names = worker->names;
  const size_t first = names->first;
  assert(worker->named == 0);
  if (rank->narrow)
    return false;
  for (uint32_t w = 0; w < rank->state_words; w++)
    names->changes[w] =
        (struct tree_change){block->changes[w].contents, block->changes[w].successors, block->changes[w].count};
  const struct tree_changes changes = {.numbers = names->numbers + first * tree_tables(rank->state_words),
                                       .ends = block->ends + first,
                                       .parents = block->next - first,
                                       .words = names->changes};
  if (!tree_successors(rank->tree, names->namer, &changes, worker->keys + worker->key_count))
    return false;
  worker->named = block->produced;
  worker->key_count += block->produced;
  return true;
}

/* ---- successors without roots -------------------------------------------------------------------- */

/* names->next[w]: the first of the changes of word w that is not one of an earlier successor. */
static void write_successor(const struct worker *worker, size_t number, size_t parent, uint64_t *state) {
  const uint32_t words = worker->rank->state_words;
  memcpy(state, worker->block.states + parent * words, words * sizeof *state);
  for (uint32_t w = 0; w < words; w++) {
    const struct step_changes *changes = &worker->block.changes[w];
    size_t *next = &worker->names->next[w];
    if (*next < changes->count && changes->successors[*next] == number)
      state[w] = changes->contents[(*next)++];
  }
}

void wide_unnamed(struct worker *worker, rank_visitor *visit, void *user) {
  const struct step_block *block = &worker->block;
  const uint32_t words = worker->rank->state_words;
  struct named *names = worker->names;
  memset(names->next, 0, words * sizeof *names->next);
  for (size_t i = 0, parent = names->first, some = 0; i < block->produced; i++) {
    while (block->ends[parent] <= i)
      parent++;
    write_successor(worker, i, parent, names->some + some * words);
    if (i < worker->named)
      continue;
    if (++some == BATCH || i + 1 == block->produced) {
      visit(user, names->some, some);
      some = 0;
    }
  }
}

/* ---- successors that others of a group own ------------------------------------------------------- */

/* Of the states staged in names->some, `staged` of them, the i-th being successor which[i]. False: some got no root;
   the first of these is the next to be dealt with. */
static bool name_staged(struct worker *worker, const uint32_t *which, size_t staged) {
  const size_t named = wide_roots(worker, worker->names->some, staged, worker->keys + worker->key_count);
  worker->key_count += named;
  if (named < staged)
    worker->named = which[named];
  return named == staged;
}

/* A successor that is dealt with again after a growth may be sent twice, which only costs time. */
bool wide_deal(struct worker *worker) {
  const struct rank *rank = worker->rank;
  const struct step_block *block = &worker->block;
  struct named *names = worker->names;
  uint32_t which[BATCH];
  size_t staged = 0;
  memset(names->next, 0, rank->state_words * sizeof *names->next);
  for (size_t i = 0, parent = names->first; i < block->produced; i++) {
    uint64_t *state = names->some + staged * rank->state_words;
    while (block->ends[parent] <= i)
      parent++;
    write_successor(worker, i, parent, state);
    if (i < worker->named)
      continue;
    const unsigned owner = together_owner(&rank->together, state);
    if (owner != rank->together.rank) {
      exchange_send(rank->together.exchange, worker->number, owner, state);
      continue;
    }
    which[staged++] = (uint32_t)i;
    if (staged == BATCH) {
      if (!name_staged(worker, which, staged))
        return false;
      staged = 0;
    }
  }
  if (staged && !name_staged(worker, which, staged))
    return false;
  worker->named = block->produced;
  return true;
}

/* ---- roots that are new to the tree -------------------------------------------------------------- */

floe_status wide_root(struct worker *worker, const uint64_t *state, uint64_t *root) {
  if (!worker->names) {
    *root = *state;
    return FLOE_OK;
  }
  while (wide_roots(worker, state, 1, root) == 0)
    if (!wide_grow(worker->rank))
      return growth_stopped(worker->rank) ? FLOE_ERROR_UNSUPPORTED : FLOE_ERROR_MEMORY;
  return FLOE_OK;
}

/* ---- growth -------------------------------------------------------------------------------------- */

static bool try_growth(struct rank *rank, bool full_only) {
  const uint64_t before = tree_bytes(rank->tree), more = tree_growth_bytes(rank->tree, full_only);
  if (!budget_take(&rank->budget, more))
    return false;
  const floe_status status = tree_grow(rank->tree, full_only);
  budget_give(&rank->budget, before + more - tree_bytes(rank->tree));
  return status == FLOE_OK;
}

/* Nearly full tables as well, where memory has room for them. */
static bool grow_tables(struct rank *rank) { return try_growth(rank, false) || try_growth(rank, true); }

/* The keys of the set have room for all numbers that the tables may give from now on. */
static bool widen_keys(struct rank *rank) {
  unsigned bits[2];
  tree_root_bits(rank->tree, bits);
  if (bits[0] <= rank->root_bits[0] && bits[1] <= rank->root_bits[1])
    return true;
  for (unsigned i = 0; i < 2; i++)
    bits[i] = bits[i] > rank->root_bits[i] ? bits[i] : rank->root_bits[i];
  return growth_widen(rank, bits);
}

bool wide_grow(struct rank *rank) {
  const enum phase before = phases_enter(&rank->phases, PHASE_GROWING);
  bool grown = rank->narrow || grow_tables(rank);
  if (!grown && !growth_stopped(rank) && spill_all(rank, tree_growth_bytes(rank->tree, true)))
    grown = grow_tables(rank);
  rank->narrow = grown && !widen_keys(rank) &&
                 (growth_stopped(rank) || !spill_all(rank, rank->visited->shape.bytes) || !widen_keys(rank));
  phases_enter(&rank->phases, before);
  return grown && !rank->narrow;
}
