/* Tree tables (tree/kernel/tree.h) in device memory, for multiword states. They grow between launches; numbers, and so
   roots, do not change. Their contents are copied to the host only as far as states are needed there. */
#ifndef FLOE_GPU_ENGINE_DEVICE_TREE_H
#define FLOE_GPU_ENGINE_DEVICE_TREE_H

#include "gpu/driver/driver.h"

#include "gpu/kernel/base/control.h"

struct gpu_tree {
  uint32_t words, count;     /* words of a state; tables. 0: states of one word, no tree */
  uint64_t users;            /* most lanes that insert at once */
  struct tree_table *tables; /* [count] as kernels see them */
  uint64_t *numbers;         /* [count] entries of each table, when the host last read them */
  uint64_t **copies;         /* [count] contents on the host; NULL: none yet */
  uint64_t *copied, *rooms;  /* [count] numbers in each copy, and its capacity */
  struct tree_table *host;   /* [count] for tree_numbers_of on the host: the contents are the copies */
  uint32_t *scratch;         /* [count] */
  gpu_address tables_at, counts_at;
  gpu_address pending; /* states without roots */
  uint64_t bytes;
  unsigned bits[2]; /* of the root's numbers in keys of the visited set */
  uint64_t growths;
};

/* Adds the tables to the arguments of a kernel. */
static inline void device_tree_describe(const struct gpu_tree *tree, struct gpu_space *space) {
  space->tables = (const struct tree_table *)(uintptr_t)tree->tables_at;
  space->tree_pending = (uint64_t *)(uintptr_t)tree->pending;
  space->low_bits = tree->bits[0];
  for (uint32_t id = 0; id < tree->count && id < GPU_TREE_NEAR; id++)
    space->near[id] = tree->tables[id];
}

#endif
