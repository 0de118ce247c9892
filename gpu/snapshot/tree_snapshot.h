/* Multiword states in checkpoints, which have them in full: roots differ from run to run. */
#ifndef FLOE_GPU_SNAPSHOT_TREE_SNAPSHOT_H
#define FLOE_GPU_SNAPSHOT_TREE_SNAPSHOT_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu_search;

/* Saving: one expander for each thread, after gpu_tree_copy. FLOE_ERROR_MEMORY. */
struct tree_expander;
floe_status tree_expanders_create(const struct gpu_search *self, unsigned threads, struct tree_expander **out);
void tree_expanders_free(struct tree_expander *expanders, unsigned threads); /* NULL is allowed */
struct tree_span {
  const uint64_t *from; /* [n] */
  uint64_t n;
  bool keys; /* keys of the visited set; false: roots */
};
/* Visits the states of the span, some at a time. Each thread with its own number. */
void tree_expand(struct tree_expander *expanders, unsigned thread, const struct tree_span *span,
                 void (*visit)(void *user, const uint64_t *states, uint64_t n), void *user);

/* Restoring: inserts all states of task->snapshot.from into the tree. FLOE_ERROR_UNSUPPORTED: the search was stopped.
   FLOE_ERROR_IO. FLOE_ERROR_MEMORY. */
struct tree_restored;
floe_status tree_restore_states(struct gpu_search *self, struct tree_restored **out);
void tree_restored_free(struct tree_restored *restored); /* NULL is allowed */
/* Roots of n such states; returns n. Each thread with its own number. */
uint64_t tree_restored_roots(const struct tree_restored *restored, unsigned thread, const uint64_t *states, uint64_t n,
                             uint64_t *roots);

#endif
