/* Multiword states in checkpoints, which have them in full: roots differ from run to run. */
#ifndef FLOE_GPU_SNAPSHOT_TREE_SNAPSHOT_H
#define FLOE_GPU_SNAPSHOT_TREE_SNAPSHOT_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_search;
struct snapshot_source;

/* Saving: buffers for each thread, after gpu_tree_copy. FLOE_ERROR_MEMORY. */
struct tree_expander;
floe_status tree_expander_create(const struct gpu_search *self, unsigned threads, struct tree_expander **out);
void tree_expander_free(struct tree_expander *expander); /* NULL is allowed */
struct tree_span {
  const uint64_t *from; /* [n] */
  uint64_t n;
  bool keys; /* keys of the visited set; false: roots */
};
/* Visits the states of the span, some at a time. Each thread with its own number. */
void tree_expand(const struct tree_expander *expander, unsigned thread, const struct tree_span *span,
                 void (*visit)(void *user, const uint64_t *states, size_t n), void *user);

/* Restoring: inserts all states of the source into the tree. FLOE_ERROR_MEMORY.
   FLOE_ERROR_UNSUPPORTED: the search was stopped. */
struct tree_restored;
floe_status tree_restore_states(struct gpu_search *self, struct snapshot_source *source, struct tree_restored **out);
void tree_restored_free(struct tree_restored *restored); /* NULL is allowed */
/* Roots of n states that were inserted. Each thread with its own number. */
void tree_restored_roots(const struct tree_restored *restored, unsigned thread, const uint64_t *states, size_t n,
                         uint64_t *roots);
/* Roots of the source's next states, at most `most`; returns their number, as snapshot_take. */
size_t tree_restored_take(const struct tree_restored *restored, unsigned thread, struct snapshot_source *source,
                          uint64_t *roots, size_t most);

#endif
