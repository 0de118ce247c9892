/* A table of a tree, as kernels and the host access it (tree/kernel/tree.h). Text for every machine: fixed-width
   types only. */
#ifndef FLOE_KERNEL_TREE_TABLE_H
#define FLOE_KERNEL_TREE_TABLE_H

#ifndef KERNEL_MACHINE
#include <stdint.h>
#endif

/* Numbers are below `limit`, or slightly above: each thread checks the count before it takes a slot, so the contents
   have room for `limit` numbers plus one per concurrent thread. */
struct tree_table {
  uint64_t *slots;    /* [slot_mask + 1], hash << 32 | number + 1; 0: empty */
  uint64_t *contents; /* by number */
  uint64_t *count;    /* numbers assigned so far */
  uint64_t slot_mask;
  uint64_t limit;
};

#endif
