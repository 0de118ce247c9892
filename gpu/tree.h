/* The tables of a tree (tree/kernel/tree.h) in a device's memory, for states of several words. They grow between
   launches; numbers, and so roots, stay. What a table contains is copied to the host as far as states are wanted
   there. */
#ifndef FLOE_GPU_TREE_H
#define FLOE_GPU_TREE_H

#include "gpu/kernels.h"
#include "gpu/memory.h"

#include "gpu/kernel/control.h"

struct gpu_rank;

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

/* What a first table's keys take, before there is memory: words, users and bits are set. */
void gpu_tree_plan(struct gpu_rank *rank);
/* Tables and room for `slack` states without roots. FLOE_ERROR_MEMORY. */
floe_status gpu_tree_open(struct gpu_rank *rank);
void gpu_tree_close(struct gpu_rank *rank);
/* Of the visited set's keys. */
unsigned gpu_tree_key_bits(const struct gpu_tree *tree);
/* Adds what kernels are told of it. */
void gpu_tree_describe(const struct gpu_rank *rank, struct gpu_space *space);

/* Roots for n states of layout->words words each, which are at tree.unnamed, to rank->source. Tables grow where they
   have to. FLOE_ERROR_MEMORY, not told. */
floe_status gpu_tree_name(struct gpu_rank *rank, uint64_t n);
/* The states that got no root in the last launch, into the visited set; ends the run where memory allows none. */
void gpu_tree_place(struct gpu_rank *rank);

/* All that was given a number so far is known to the host; then states come from roots. */
floe_status gpu_tree_copy(struct gpu_rank *rank);
void gpu_tree_states(const struct gpu_rank *rank, const uint64_t *roots, uint64_t n, uint64_t *states);

#endif
