/* Growth of tree tables, and insertion of multiword states that found a table full. */
#ifndef FLOE_GPU_ENGINE_TREE_GROWTH_H
#define FLOE_GPU_ENGINE_TREE_GROWTH_H

#include "core/status.h"

#include <stdint.h>

struct gpu_search;

/* Inserts n states of layout->words words each, at tree.pending; their roots go to buffers.source. Tables grow if
   necessary. FLOE_ERROR_MEMORY, not logged. */
floe_status tree_insert(struct gpu_search *self, uint64_t n);
/* Inserts the states that got no root in the last launch, also into the visited set; ends the search if memory is
   exhausted. */
void tree_place_pending(struct gpu_search *self);

/* Restores table `id`, which is empty, from its n entries. After all tables: tree_load_end widens the keys of the
   visited set accordingly. FLOE_ERROR_MEMORY. */
floe_status tree_load_table(struct gpu_search *self, uint32_t id, const uint64_t *contents, uint64_t n);
floe_status tree_load_end(struct gpu_search *self);

#endif
