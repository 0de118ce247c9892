/* Tree tables of multiword states in device memory: allocation, and copies of their contents on the host. */
#ifndef FLOE_GPU_ENGINE_GPU_TREE_H
#define FLOE_GPU_ENGINE_GPU_TREE_H

#include "core/status.h"

#include <stdint.h>

struct gpu_search;
struct gpu_tree;
struct tree_table;

/* Before anything is allocated: sets words, count, users, and the bits of the keys of a first visited set. */
void gpu_tree_plan(struct gpu_search *self);
/* Allocates the tables, and room for `slack` states without roots. FLOE_ERROR_MEMORY. */
floe_status gpu_tree_open(struct gpu_search *self);
void gpu_tree_close(struct gpu_search *self);

/* Reads the number of entries of each table to tree.numbers. */
floe_status gpu_tree_count(struct gpu_search *self);
/* Copies what was inserted so far to the host; gpu_tree_states then yields the states of roots. */
floe_status gpu_tree_copy(struct gpu_search *self);
void gpu_tree_states(const struct gpu_search *self, const uint64_t *roots, uint64_t n, uint64_t *states);

/* Capacity of a table, in numbers. */
uint64_t gpu_tree_room(const struct tree_table *table);
/* Allocates and frees a table of that capacity; *table has its address. FLOE_ERROR_MEMORY. */
floe_status gpu_tree_allocate(struct gpu_search *self, uint64_t room, struct tree_table *table);
void gpu_tree_release(struct gpu_search *self, struct tree_table *table);
/* After changes: makes tree.tables known to the kernels. */
floe_status gpu_tree_upload(struct gpu_search *self);

#endif
