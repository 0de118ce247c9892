/* The tables of a tree (tree/kernel/tree.h) in a device's memory, for states of several words. They grow between
   launches; numbers, and so roots, stay. What a table contains is copied to the host as far as states are wanted
   there. */
#ifndef FLOE_GPU_DEVICE_TREE_H
#define FLOE_GPU_DEVICE_TREE_H

#include "gpu/driver/driver.h"

#include "gpu/kernel/base/control.h"

struct gpu_tree {
  uint32_t words, count;     /* of a state; of tables. 0: states are of one word, and there is no tree */
  uint64_t users;            /* lanes that put at once, at most */
  struct tree_table *tables; /* [count] as kernels see them */
  uint64_t *numbers;         /* [count] given in each, as known to the host */
  uint64_t **copies;         /* [count] contents on the host; NULL: none yet */
  uint64_t *copied, *rooms;  /* [count] of them, and how many there is room for */
  struct tree_table *host;   /* [count] for tree_numbers_of on the host: its contents are the copies */
  uint32_t *scratch;         /* [count] */
  gpu_address tables_at, counts_at, unnamed;
  uint64_t bytes;
  unsigned bits[2]; /* of the root's numbers in keys of the visited set */
  uint64_t growths;
};

#endif
