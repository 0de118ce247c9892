#include "gpu/snapshot/tree_snapshot.h"

#include "core/mem.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/tree_growth.h"
#include "tree/kernel/tree.h"
#include "tree/tree.h"

enum { AT_ONCE = 256 };

/* ---- out ----------------------------------------------------------------------------------------- */

struct tree_expander {
  const struct gpu_tree *tree;
  uint64_t *states; /* [AT_ONCE] */
  uint32_t *numbers;
};

floe_status tree_expanders_create(const struct gpu_search *self, unsigned threads, struct tree_expander **out) {
  struct tree_expander *expanders = mem_array(threads + 1, sizeof *expanders);
  bool made = expanders != NULL;
  for (unsigned i = 0; made && i < threads; i++) {
    expanders[i].tree = &self->tree;
    expanders[i].states = mem_array((size_t)AT_ONCE * self->tree.words, sizeof *expanders[i].states);
    expanders[i].numbers = mem_array(self->tree.count, sizeof *expanders[i].numbers);
    made = expanders[i].states && expanders[i].numbers;
  }
  if (!made) {
    tree_expanders_free(expanders, threads);
    return FLOE_ERROR_MEMORY;
  }
  *out = expanders;
  return FLOE_OK;
}

void tree_expanders_free(struct tree_expander *expanders, unsigned threads) {
  for (unsigned i = 0; expanders && i < threads; i++) {
    mem_free(expanders[i].states);
    mem_free(expanders[i].numbers);
  }
  mem_free(expanders);
}

void tree_expand(struct tree_expander *expanders, unsigned thread, const struct tree_span *span,
                 void (*visit)(void *user, const uint64_t *states, uint64_t n), void *user) {
  struct tree_expander *expander = &expanders[thread];
  const struct gpu_tree *tree = expander->tree;
  for (uint64_t at = 0, some; at < span->n; at += some) {
    some = span->n - at < AT_ONCE ? span->n - at : AT_ONCE;
    for (uint64_t i = 0; i < some; i++) {
      const uint64_t entry = span->from[at + i];
      const uint64_t root = span->keys ? tree_root(entry, tree->bits[0]) : entry;
      tree_numbers_of(tree->host, tree->words, root, expander->numbers, expander->states + i * tree->words);
    }
    visit(user, expander->states, some);
  }
}

/* ---- in ------------------------------------------------------------------------------------------ */

/* First inserts all states of the file into a tree on the host: only then the width of the visited set's keys is known.
   Then the tables go to the device, and the file is read again. */
struct tree_restored {
  struct tree *tree;
  struct tree_user **users;         /* [threads] */
  struct checkpoint_block **blocks; /* [threads] */
  struct checkpoint_states *read;   /* [threads] states [done, n) have no root yet */
  uint64_t *done;
  unsigned threads;
  struct gpu_search *self;
  _Atomic int status; /* floe_status */
  atomic_bool full;
};

static bool allocate(struct gpu_search *self, struct tree_restored *restored) {
  const unsigned threads = restored->threads;
  restored->users = mem_array(threads, sizeof(void *));
  restored->blocks = mem_array(threads, sizeof(void *));
  restored->read = mem_array(threads, sizeof *restored->read);
  restored->done = mem_array(threads, sizeof *restored->done);
  bool made = restored->users && restored->blocks && restored->read && restored->done &&
              tree_create(self->tree.words, threads, 0, &restored->tree) == FLOE_OK;
  for (unsigned i = 0; made && i < threads; i++) {
    restored->blocks[i] = checkpoint_block_create(self->search.task->snapshot.from);
    made = restored->blocks[i] && tree_user_create(restored->tree, &restored->users[i]) == FLOE_OK;
  }
  return made;
}

void tree_restored_free(struct tree_restored *restored) {
  if (!restored)
    return;
  for (unsigned i = 0; i < restored->threads; i++) {
    if (restored->users)
      tree_user_free(restored->users[i]);
    if (restored->blocks)
      checkpoint_block_free(restored->blocks[i]);
  }
  tree_free(restored->tree);
  mem_free(restored->users);
  mem_free(restored->blocks);
  mem_free(restored->read);
  mem_free(restored->done);
  mem_free(restored);
}

/* False: there is nothing more, or it failed. */
static bool read_block(struct tree_restored *restored, unsigned thread) {
  struct checkpoint_states *read = &restored->read[thread];
  restored->done[thread] = read->n = 0;
  const struct stop stop = restored->self->search.stop;
  floe_status status = stop_requested(&stop) ? FLOE_ERROR_UNSUPPORTED
                                             : checkpoint_next(restored->self->search.task->snapshot.from,
                                                               restored->blocks[thread], read);
  if (status != FLOE_OK)
    atomic_store(&restored->status, (int)status);
  return status == FLOE_OK && read->n > 0;
}

static void insert_blocks(void *data, unsigned thread) {
  struct tree_restored *restored = data;
  const uint32_t words = restored->self->tree.words;
  uint64_t roots[AT_ONCE];
  while (!atomic_load(&restored->full) && atomic_load(&restored->status) == FLOE_OK) {
    const struct checkpoint_states *read = &restored->read[thread];
    if (restored->done[thread] == read->n && !read_block(restored, thread))
      return;
    const uint64_t rest = read->n - restored->done[thread], n = rest < AT_ONCE ? rest : AT_ONCE;
    const size_t inserted =
        tree_roots(restored->tree, restored->users[thread], read->states + restored->done[thread] * words, n, roots);
    restored->done[thread] += inserted;
    if (inserted < n)
      atomic_store(&restored->full, true);
  }
}

static floe_status insert_all(struct tree_restored *restored) {
  struct checkpoint_reader *from = restored->self->search.task->snapshot.from;
  bool full;
  checkpoint_choose(from, 1u << CHECKPOINT_KEYS | 1u << CHECKPOINT_PENDING);
  do {
    pool_run(restored->self->transfer.pool, insert_blocks, restored);
    FLOE_TRY((floe_status)atomic_load(&restored->status));
    full = atomic_exchange(&restored->full, false);
    if (full)
      FLOE_TRY(tree_grow(restored->tree, false));
  } while (full);
  return checkpoint_end_reading(from);
}

floe_status tree_restore_states(struct gpu_search *self, struct tree_restored **out) {
  struct tree_restored *restored = mem_alloc(sizeof *restored);
  if (!restored)
    return FLOE_ERROR_MEMORY;
  restored->self = self;
  restored->threads = pool_size(self->transfer.pool);
  floe_status status = allocate(self, restored) ? insert_all(restored) : FLOE_ERROR_MEMORY;
  for (uint32_t id = 0; status == FLOE_OK && id < self->tree.count; id++)
    status = tree_load_table(self, id, tree_contents(restored->tree, id), tree_count(restored->tree, id));
  if (status == FLOE_OK)
    status = tree_load_end(self);
  if (status == FLOE_OK)
    *out = restored;
  else
    tree_restored_free(restored);
  return status;
}

uint64_t tree_restored_roots(const struct tree_restored *restored, unsigned thread, const uint64_t *states, uint64_t n,
                             uint64_t *roots) {
  return tree_roots(restored->tree, restored->users[thread], states, n, roots);
}
