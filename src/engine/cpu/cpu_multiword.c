/* Multiword states on the CPU: the frontier and the visited set hold roots of a tree (tree/tree.h); workers expand
   states and find successors in full. */
#include "engine/cpu/cpu_search.h"

#include "core/mem.h"
#include "engine/comm/exchange.h"

#include <assert.h>
#include <string.h>

#define FIRST_NUMBERS 1024 /* initial size of a table */

/* Buffers of a worker. */
struct multiword_buffers {
  struct tree_user *user;
  struct tree_inserter *inserter;
  uint64_t *grain;                  /* [most] states being expanded */
  uint64_t *some;                   /* [BATCH] other states */
  uint64_t *roots;                  /* [capacity of the block] of successors */
  uint32_t *numbers, *some_numbers; /* node numbers of `grain` and `some` in all tables */
  struct tree_change *changes;      /* [words] changes of the block's successors */
  size_t *next;                     /* [words] positions in these */
  size_t first;                     /* index in `grain` of the first state whose successors are in the block */
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
  return (LARGEST_GRAIN + BATCH) * (words * sizeof(uint64_t) + tables * sizeof(uint32_t)) +
         LARGEST_GRAIN * sizeof(uint32_t) + capacity * sizeof(uint64_t) +
         capacity * words * (sizeof(uint64_t) + sizeof(uint32_t)) + tree_user_bytes(self->multiword.tree) +
         tree_inserter_bytes(self->multiword.tree, capacity);
}

static bool create_buffers(struct cpu_search *self, struct worker *worker) {
  const size_t words = self->state_words, tables = tree_tables(self->state_words);
  struct step_block *block = &worker->block;
  struct multiword_buffers *buffers = worker->multiword = mem_alloc(sizeof *buffers);
  if (!buffers)
    return false;
  buffers->most = LARGEST_GRAIN;
  buffers->bytes = bytes_of(self, worker);
  if (!budget_take(&self->budget, buffers->bytes)) {
    buffers->bytes = 0;
    return false;
  }
  buffers->grain = mem_array(buffers->most, words * sizeof *buffers->grain);
  buffers->some = mem_array(BATCH, words * sizeof *buffers->some);
  buffers->numbers = mem_array(buffers->most, tables * sizeof *buffers->numbers);
  buffers->some_numbers = mem_array(BATCH, tables * sizeof *buffers->some_numbers);
  buffers->changes = mem_array(words, sizeof *buffers->changes);
  buffers->next = mem_array(words, sizeof *buffers->next);
  buffers->roots = worker->successors.keys = mem_array(block->capacity, sizeof *buffers->roots);
  block->ends = mem_array(buffers->most, sizeof *block->ends);
  return buffers->grain && buffers->some && buffers->numbers && buffers->some_numbers && buffers->changes &&
         buffers->next && buffers->roots && block->ends && create_changes(block, words) &&
         tree_user_create(self->multiword.tree, &buffers->user) == FLOE_OK &&
         tree_inserter_create(self->multiword.tree, block->capacity, &buffers->inserter) == FLOE_OK;
}

static void free_buffers(struct cpu_search *self, struct worker *worker) {
  struct multiword_buffers *buffers = worker->multiword;
  if (!buffers)
    return;
  budget_give(&self->budget, buffers->bytes);
  tree_user_free(buffers->user);
  tree_inserter_free(buffers->inserter);
  free_changes(&worker->block, self->state_words);
  mem_free(buffers->grain);
  mem_free(buffers->some);
  mem_free(buffers->numbers);
  mem_free(buffers->some_numbers);
  mem_free(buffers->changes);
  mem_free(buffers->next);
  mem_free(worker->block.ends);
  mem_free(buffers->roots);
  mem_free(buffers);
  worker->multiword = NULL;
}

floe_status multiword_open(struct cpu_search *self) {
  const uint64_t asked = self->search.task->first_tree_slots, numbers = asked ? asked : FIRST_NUMBERS;
  if (self->state_words == 1)
    return FLOE_OK;
  if (!budget_take(&self->budget, tree_first_bytes(self->state_words, self->worker_count, numbers)))
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(tree_create(self->state_words, self->worker_count, numbers, &self->multiword.tree));
  tree_root_bits(self->multiword.tree, self->multiword.root_bits);
  for (unsigned i = 0; i < self->worker_count; i++)
    if (!create_buffers(self, &self->workers[i]))
      return FLOE_ERROR_MEMORY;
  return FLOE_OK;
}

void multiword_close(struct cpu_search *self) {
  for (unsigned i = 0; self->workers && i < self->worker_count; i++)
    free_buffers(self, &self->workers[i]);
  if (self->multiword.tree)
    budget_give(&self->budget, tree_bytes(self->multiword.tree));
  tree_free(self->multiword.tree);
  self->multiword.tree = NULL;
}

/* ---- states from roots --------------------------------------------------------------------------- */

uint64_t *multiword_states(struct worker *worker, const uint64_t *roots, size_t n) {
  struct multiword_buffers *buffers = worker->multiword;
  assert(n <= buffers->most);
  tree_states(worker->search->multiword.tree, roots, n, buffers->numbers, buffers->grain);
  return buffers->grain;
}

const uint64_t *multiword_peek(struct worker *worker, const uint64_t *roots, size_t n) {
  struct multiword_buffers *buffers = worker->multiword;
  assert(n <= BATCH);
  tree_states(worker->search->multiword.tree, roots, n, buffers->some_numbers, buffers->some);
  return buffers->some;
}

void multiword_visit(struct worker *worker, const uint64_t *roots, size_t n, states_visitor *visit, void *user) {
  for (size_t at = 0, some; at < n; at += some) {
    some = n - at < BATCH ? n - at : BATCH;
    visit(user, multiword_peek(worker, roots + at, some), some);
  }
}

/* ---- roots from states --------------------------------------------------------------------------- */

size_t multiword_roots(struct worker *worker, const uint64_t *states, size_t n, uint64_t *roots) {
  if (worker->search->multiword.keys_too_narrow)
    return 0;
  return tree_roots(worker->search->multiword.tree, worker->multiword->user, states, n, roots);
}

void multiword_begin_block(struct worker *worker) {
  struct step_block *block = &worker->block;
  worker->multiword->first = block->next;
  for (uint32_t w = 0; w < worker->search->state_words; w++)
    block->changes[w].count = 0;
  tree_inserter_begin(worker->multiword->inserter);
}

bool multiword_insert(struct worker *worker) {
  const struct cpu_search *self = worker->search;
  const struct step_block *block = &worker->block;
  struct multiword_buffers *buffers = worker->multiword;
  const size_t first = buffers->first;
  assert(worker->successors.converted == 0);
  if (self->multiword.keys_too_narrow)
    return false;
  for (uint32_t w = 0; w < self->state_words; w++)
    buffers->changes[w] =
        (struct tree_change){block->changes[w].contents, block->changes[w].successors, block->changes[w].count};
  const struct tree_changes changes = {.numbers = buffers->numbers + first * tree_tables(self->state_words),
                                       .ends = block->ends + first,
                                       .parents = block->next - first,
                                       .words = buffers->changes};
  if (!tree_successors(self->multiword.tree, buffers->inserter, &changes,
                       worker->successors.keys + worker->successors.count))
    return false;
  worker->successors.converted = block->produced;
  worker->successors.count += block->produced;
  return true;
}

/* ---- successors without roots -------------------------------------------------------------------- */

/* buffers->next[w]: the first change of word w that does not belong to an earlier successor. */
static void write_successor(const struct worker *worker, size_t number, size_t parent, uint64_t *state) {
  const uint32_t words = worker->search->state_words;
  memcpy(state, worker->block.states + parent * words, words * sizeof *state);
  for (uint32_t w = 0; w < words; w++) {
    const struct step_changes *changes = &worker->block.changes[w];
    size_t *next = &worker->multiword->next[w];
    if (*next < changes->count && changes->successors[*next] == number)
      state[w] = changes->contents[(*next)++];
  }
}

void multiword_pending(struct worker *worker, states_visitor *visit, void *user) {
  const struct step_block *block = &worker->block;
  const uint32_t words = worker->search->state_words;
  struct multiword_buffers *buffers = worker->multiword;
  memset(buffers->next, 0, words * sizeof *buffers->next);
  for (size_t i = 0, parent = buffers->first, some = 0; i < block->produced; i++) {
    while (block->ends[parent] <= i)
      parent++;
    write_successor(worker, i, parent, buffers->some + some * words);
    if (i < worker->successors.converted)
      continue;
    if (++some == BATCH || i + 1 == block->produced) {
      visit(user, buffers->some, some);
      some = 0;
    }
  }
}

/* ---- successors with other owners ---------------------------------------------------------------- */

/* Inserts the first `staged` states of buffers->some; the i-th is successor which[i]. False: some were not inserted;
   successors.converted is the first of these. */
static bool insert_staged(struct worker *worker, const uint32_t *which, size_t staged) {
  const size_t inserted =
      multiword_roots(worker, worker->multiword->some, staged, worker->successors.keys + worker->successors.count);
  worker->successors.count += inserted;
  if (inserted < staged)
    worker->successors.converted = which[inserted];
  return inserted == staged;
}

/* After the tree has grown a successor may be sent twice, which only costs time. */
bool multiword_insert_own(struct worker *worker) {
  const struct cpu_search *self = worker->search;
  const struct step_block *block = &worker->block;
  struct multiword_buffers *buffers = worker->multiword;
  uint32_t which[BATCH];
  size_t staged = 0;
  memset(buffers->next, 0, self->state_words * sizeof *buffers->next);
  for (size_t i = 0, parent = buffers->first; i < block->produced; i++) {
    uint64_t *state = buffers->some + staged * self->state_words;
    while (block->ends[parent] <= i)
      parent++;
    write_successor(worker, i, parent, state);
    if (i < worker->successors.converted)
      continue;
    const unsigned owner = collective_owner(&self->collective, state);
    if (owner != self->collective.rank) {
      exchange_send(self->collective.exchange, worker->number, owner, state);
      continue;
    }
    which[staged++] = (uint32_t)i;
    if (staged == BATCH) {
      if (!insert_staged(worker, which, staged))
        return false;
      staged = 0;
    }
  }
  if (staged && !insert_staged(worker, which, staged))
    return false;
  worker->successors.converted = block->produced;
  return true;
}

/* ---- single states ------------------------------------------------------------------------------- */

floe_status multiword_root(struct worker *worker, const uint64_t *state, uint64_t *root) {
  if (!worker->multiword) {
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
  const uint64_t before = tree_bytes(self->multiword.tree), more = tree_growth_bytes(self->multiword.tree, full_only);
  if (!kept_budget_take(self, more))
    return false;
  const floe_status status = tree_grow(self->multiword.tree, full_only);
  budget_give(&self->budget, before + more - tree_bytes(self->multiword.tree));
  return status == FLOE_OK;
}

/* Grows tables that are nearly full as well, if memory allows. */
static bool grow_tables(struct cpu_search *self) { return try_growth(self, false) || try_growth(self, true); }

/* Widens the set's keys for the largest numbers that the tables can now assign. */
static bool widen_keys(struct cpu_search *self) {
  unsigned bits[2];
  tree_root_bits(self->multiword.tree, bits);
  if (bits[0] <= self->multiword.root_bits[0] && bits[1] <= self->multiword.root_bits[1])
    return true;
  for (unsigned i = 0; i < 2; i++)
    bits[i] = bits[i] > self->multiword.root_bits[i] ? bits[i] : self->multiword.root_bits[i];
  return growth_widen(self, bits);
}

bool multiword_grow(struct cpu_search *self) {
  const enum phase before = phases_enter(&self->phases, PHASE_GROWING);
  bool grown = self->multiword.keys_too_narrow || grow_tables(self);
  if (!grown && !growth_stopped(self) && spill_all(self, tree_growth_bytes(self->multiword.tree, true)))
    grown = grow_tables(self);
  self->multiword.keys_too_narrow =
      grown && !widen_keys(self) &&
      (growth_stopped(self) || !spill_all(self, self->visited.set->shape.bytes) || !widen_keys(self));
  phases_enter(&self->phases, before);
  return grown && !self->multiword.keys_too_narrow;
}
