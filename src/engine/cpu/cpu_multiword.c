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
  struct tree_inserter *inserter;
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

static size_t bytes_of(const struct cpu_search *self, const struct worker *worker) {
  const size_t words = self->state_words, tables = tree_tables(self->state_words), capacity = worker->block.capacity;
  return (RANK_LARGEST_GRAIN + BATCH) * (words * sizeof(uint64_t) + tables * sizeof(uint32_t)) +
         RANK_LARGEST_GRAIN * sizeof(uint32_t) + capacity * sizeof(uint64_t) +
         capacity * words * (sizeof(uint64_t) + sizeof(uint32_t)) + tree_user_bytes(self->tree) +
         tree_inserter_bytes(self->tree, capacity);
}

static bool create_names(struct cpu_search *self, struct worker *worker) {
  const size_t words = self->state_words, tables = tree_tables(self->state_words);
  struct step_block *block = &worker->block;
  struct named *names = worker->names = mem_alloc(sizeof *names);
  if (!names)
    return false;
  names->most = RANK_LARGEST_GRAIN;
  names->bytes = bytes_of(self, worker);
  if (!budget_take(&self->budget, names->bytes)) {
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
         tree_user_create(self->tree, &names->user) == FLOE_OK &&
         tree_inserter_create(self->tree, block->capacity, &names->inserter) == FLOE_OK;
}

static void free_names(struct cpu_search *self, struct worker *worker) {
  struct named *names = worker->names;
  if (!names)
    return;
  budget_give(&self->budget, names->bytes);
  tree_user_free(names->user);
  tree_inserter_free(names->inserter);
  free_changes(&worker->block, self->state_words);
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

floe_status multiword_open(struct cpu_search *self) {
  const uint64_t asked = self->search->task->first_tree_slots, numbers = asked ? asked : FIRST_NUMBERS;
  if (self->state_words == 1)
    return FLOE_OK;
  if (!budget_take(&self->budget, tree_first_bytes(self->state_words, self->worker_count, numbers)))
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(tree_create(self->state_words, self->worker_count, numbers, &self->tree));
  tree_root_bits(self->tree, self->root_bits);
  for (unsigned i = 0; i < self->worker_count; i++)
    if (!create_names(self, &self->workers[i]))
      return FLOE_ERROR_MEMORY;
  return FLOE_OK;
}

void multiword_close(struct cpu_search *self) {
  for (unsigned i = 0; self->workers && i < self->worker_count; i++)
    free_names(self, &self->workers[i]);
  if (self->tree)
    budget_give(&self->budget, tree_bytes(self->tree));
  tree_free(self->tree);
  self->tree = NULL;
}

/* ---- states from roots --------------------------------------------------------------------------- */

uint64_t *wide_states(struct worker *worker, const uint64_t *roots, size_t n) {
  struct named *names = worker->names;
  assert(n <= names->most);
  tree_states(worker->search->tree, roots, n, names->numbers, names->grain);
  return names->grain;
}

const uint64_t *multiword_some(struct worker *worker, const uint64_t *roots, size_t n) {
  struct named *names = worker->names;
  assert(n <= BATCH);
  tree_states(worker->search->tree, roots, n, names->some_numbers, names->some);
  return names->some;
}

void multiword_visit(struct worker *worker, const uint64_t *roots, size_t n, states_visitor *visit, void *user) {
  for (size_t at = 0, some; at < n; at += some) {
    some = n - at < BATCH ? n - at : BATCH;
    visit(user, multiword_some(worker, roots + at, some), some);
  }
}

/* ---- roots from states --------------------------------------------------------------------------- */

size_t multiword_roots(struct worker *worker, const uint64_t *states, size_t n, uint64_t *roots) {
  if (worker->search->narrow)
    return 0;
  return tree_roots(worker->search->tree, worker->names->user, states, n, roots);
}

void multiword_expanding(struct worker *worker) {
  struct step_block *block = &worker->block;
  worker->names->first = block->next;
  for (uint32_t w = 0; w < worker->search->state_words; w++)
    block->changes[w].count = 0;
  tree_inserter_begin(worker->names->inserter);
}

bool multiword_name(struct worker *worker) {
  const struct cpu_search *self = worker->search;
  const struct step_block *block = &worker->block;
  struct named *names = worker->names;
  const size_t first = names->first;
  assert(worker->named == 0);
  if (self->narrow)
    return false;
  for (uint32_t w = 0; w < self->state_words; w++)
    names->changes[w] =
        (struct tree_change){block->changes[w].contents, block->changes[w].successors, block->changes[w].count};
  const struct tree_changes changes = {.numbers = names->numbers + first * tree_tables(self->state_words),
                                       .ends = block->ends + first,
                                       .parents = block->next - first,
                                       .words = names->changes};
  if (!tree_successors(self->tree, names->inserter, &changes, worker->keys + worker->key_count))
    return false;
  worker->named = block->produced;
  worker->key_count += block->produced;
  return true;
}

/* ---- successors without roots -------------------------------------------------------------------- */

/* names->next[w]: the first of the changes of word w that is not one of an earlier successor. */
static void write_successor(const struct worker *worker, size_t number, size_t parent, uint64_t *state) {
  const uint32_t words = worker->search->state_words;
  memcpy(state, worker->block.states + parent * words, words * sizeof *state);
  for (uint32_t w = 0; w < words; w++) {
    const struct step_changes *changes = &worker->block.changes[w];
    size_t *next = &worker->names->next[w];
    if (*next < changes->count && changes->successors[*next] == number)
      state[w] = changes->contents[(*next)++];
  }
}

void multiword_unnamed(struct worker *worker, states_visitor *visit, void *user) {
  const struct step_block *block = &worker->block;
  const uint32_t words = worker->search->state_words;
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
  const size_t named = multiword_roots(worker, worker->names->some, staged, worker->keys + worker->key_count);
  worker->key_count += named;
  if (named < staged)
    worker->named = which[named];
  return named == staged;
}

/* A successor that is dealt with again after a growth may be sent twice, which only costs time. */
bool multiword_deal(struct worker *worker) {
  const struct cpu_search *self = worker->search;
  const struct step_block *block = &worker->block;
  struct named *names = worker->names;
  uint32_t which[BATCH];
  size_t staged = 0;
  memset(names->next, 0, self->state_words * sizeof *names->next);
  for (size_t i = 0, parent = names->first; i < block->produced; i++) {
    uint64_t *state = names->some + staged * self->state_words;
    while (block->ends[parent] <= i)
      parent++;
    write_successor(worker, i, parent, state);
    if (i < worker->named)
      continue;
    const unsigned owner = collective_owner(&self->collective, state);
    if (owner != self->collective.rank) {
      exchange_send(self->collective.exchange, worker->number, owner, state);
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

floe_status multiword_root(struct worker *worker, const uint64_t *state, uint64_t *root) {
  if (!worker->names) {
    *root = *state;
    return FLOE_OK;
  }
  while (multiword_roots(worker, state, 1, root) == 0)
    if (!multiword_grow(worker->search))
      return growth_stopped(worker->search) ? FLOE_ERROR_UNSUPPORTED : FLOE_ERROR_MEMORY;
  return FLOE_OK;
}

/* ---- growth -------------------------------------------------------------------------------------- */

static bool try_growth(struct cpu_search *self, bool full_only) {
  const uint64_t before = tree_bytes(self->tree), more = tree_growth_bytes(self->tree, full_only);
  if (!budget_take(&self->budget, more))
    return false;
  const floe_status status = tree_grow(self->tree, full_only);
  budget_give(&self->budget, before + more - tree_bytes(self->tree));
  return status == FLOE_OK;
}

/* Nearly full tables as well, where memory has room for them. */
static bool grow_tables(struct cpu_search *self) { return try_growth(self, false) || try_growth(self, true); }

/* The keys of the set have room for all numbers that the tables may give from now on. */
static bool widen_keys(struct cpu_search *self) {
  unsigned bits[2];
  tree_root_bits(self->tree, bits);
  if (bits[0] <= self->root_bits[0] && bits[1] <= self->root_bits[1])
    return true;
  for (unsigned i = 0; i < 2; i++)
    bits[i] = bits[i] > self->root_bits[i] ? bits[i] : self->root_bits[i];
  return growth_widen(self, bits);
}

bool multiword_grow(struct cpu_search *self) {
  const enum phase before = phases_enter(&self->phases, PHASE_GROWING);
  bool grown = self->narrow || grow_tables(self);
  if (!grown && !growth_stopped(self) && spill_all(self, tree_growth_bytes(self->tree, true)))
    grown = grow_tables(self);
  self->narrow = grown && !widen_keys(self) &&
                 (growth_stopped(self) || !spill_all(self, self->visited->shape.bytes) || !widen_keys(self));
  phases_enter(&self->phases, before);
  return grown && !self->narrow;
}
