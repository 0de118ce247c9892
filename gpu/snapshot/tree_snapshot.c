#include "gpu/snapshot/tree_snapshot.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot_engine.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/tree_growth.h"
#include "tree/tree.h"

#include <assert.h>

enum { AT_ONCE = 256 };

/* ---- out ----------------------------------------------------------------------------------------- */

struct tree_expander {
  const struct gpu_tree *tree;
  uint64_t *states;  /* [threads * AT_ONCE] */
  uint32_t *numbers; /* [threads * stride] of a state, in each table; on a cache line of its own */
  size_t stride;
};

floe_status tree_expander_create(const struct gpu_search *self, unsigned threads, struct tree_expander **out) {
  struct tree_expander *expander = *out = mem_alloc(sizeof *expander);
  if (!expander)
    return FLOE_ERROR_MEMORY;
  expander->tree = &self->tree;
  expander->states = mem_array((size_t)threads * AT_ONCE, self->tree.words * sizeof *expander->states);
  expander->stride = self->tree.count + 64 / sizeof *expander->numbers;
  expander->numbers = mem_array(threads, expander->stride * sizeof *expander->numbers);
  return expander->states && expander->numbers ? FLOE_OK : FLOE_ERROR_MEMORY;
}

void tree_expander_free(struct tree_expander *expander) {
  if (!expander)
    return;
  mem_free(expander->states);
  mem_free(expander->numbers);
  mem_free(expander);
}

void tree_expand(const struct tree_expander *expander, unsigned thread, const struct tree_span *span,
                 void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  const struct gpu_tree *tree = expander->tree;
  uint64_t *states = expander->states + (size_t)thread * AT_ONCE * tree->words;
  uint32_t *numbers = expander->numbers + thread * expander->stride;
  for (uint64_t at = 0, some; at < span->n; at += some) {
    some = least(span->n - at, AT_ONCE);
    for (uint64_t i = 0; i < some; i++) {
      const uint64_t entry = span->from[at + i];
      const uint64_t root = span->keys ? tree_root(entry, tree->bits[0]) : entry;
      tree_numbers_of(tree->host, tree->words, root, numbers, states + i * tree->words);
    }
    visit(user, states, some);
  }
}

/* ---- in ------------------------------------------------------------------------------------------ */

/* First inserts all states of the file into a tree on the host: only then the width of the visited set's keys is known.
   Then the tables go to the device, and the file is read again. */
struct tree_restored {
  struct tree *tree;
  unsigned threads;
  struct tree_thread {
    _Alignas(64) struct tree_user *user;
    uint64_t *states; /* [AT_ONCE] states [next, n) have no root yet */
    size_t next, n;
  } * by; /* [threads] */
  struct snapshot_source *source;
  atomic_bool full;
};

static bool allocate(const struct gpu_search *self, struct tree_restored *restored) {
  const unsigned threads = pool_size(self->transfer.pool);
  restored->by = pages_alloc(threads * sizeof *restored->by);
  restored->threads = restored->by ? threads : 0;
  bool made = restored->by && tree_create(self->tree.words, threads, 0, &restored->tree) == FLOE_OK;
  for (unsigned i = 0; made && i < threads; i++) {
    restored->by[i].states = mem_array(AT_ONCE, self->tree.words * sizeof(uint64_t));
    made = restored->by[i].states && tree_user_create(restored->tree, &restored->by[i].user) == FLOE_OK;
  }
  return made;
}

void tree_restored_free(struct tree_restored *restored) {
  if (!restored)
    return;
  for (unsigned i = 0; i < restored->threads; i++) {
    tree_user_free(restored->by[i].user);
    mem_free(restored->by[i].states);
  }
  tree_free(restored->tree);
  if (restored->by)
    pages_free(restored->by, restored->threads * sizeof *restored->by);
  mem_free(restored);
}

static void insert_states(void *data, unsigned thread) {
  struct tree_restored *restored = data;
  struct tree_thread *here = &restored->by[thread];
  const uint32_t words = tree_words(restored->tree);
  uint64_t roots[AT_ONCE];
  while (!atomic_load(&restored->full)) {
    if (here->next == here->n) {
      here->next = 0;
      here->n = snapshot_take(restored->source, thread, here->states, AT_ONCE);
    }
    if (here->n == 0)
      return;
    here->next +=
        tree_roots(restored->tree, here->user, here->states + here->next * words, here->n - here->next, roots);
    if (here->next < here->n)
      atomic_store(&restored->full, true);
  }
}

static floe_status insert_all(struct gpu_search *self, struct tree_restored *restored) {
  do {
    if (atomic_exchange(&restored->full, false))
      FLOE_TRY(tree_grow(restored->tree, false));
    pool_run(self->transfer.pool, insert_states, restored);
  } while (atomic_load(&restored->full));
  if (search_check_stop(&self->search))
    return FLOE_ERROR_UNSUPPORTED;
  for (uint32_t id = 0; id < self->tree.count; id++)
    FLOE_TRY(tree_load_table(self, id, tree_contents(restored->tree, id), tree_count(restored->tree, id)));
  return tree_load_end(self);
}

floe_status tree_restore_states(struct gpu_search *self, struct snapshot_source *source, struct tree_restored **out) {
  struct tree_restored *restored = mem_alloc(sizeof *restored);
  if (!restored)
    return FLOE_ERROR_MEMORY;
  restored->source = source;
  const floe_status status = allocate(self, restored) ? insert_all(self, restored) : FLOE_ERROR_MEMORY;
  if (status == FLOE_OK)
    *out = restored;
  else
    tree_restored_free(restored);
  return status;
}

void tree_restored_roots(const struct tree_restored *restored, unsigned thread, const uint64_t *states, size_t n,
                         uint64_t *roots) {
  if (tree_roots(restored->tree, restored->by[thread].user, states, n, roots) < n)
    assert(false); /* all were inserted before */
}

size_t tree_restored_take(const struct tree_restored *restored, unsigned thread, struct snapshot_source *source,
                          uint64_t *roots, size_t most) {
  uint64_t *states = restored->by[thread].states;
  const size_t n = snapshot_take(source, thread, states, least(most, AT_ONCE));
  tree_restored_roots(restored, thread, states, n, roots);
  return n;
}
