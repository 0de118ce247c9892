/* A bitmap as a visited set. It never grows, so keys are never rehashed. */
#ifndef FLOE_GPU_BITMAP_TABLE_H
#define FLOE_GPU_BITMAP_TABLE_H

#define FLOE_TICKET_BATCHES GPU_TICKET_BATCHES
#include "gpu/kernel/visited/bitmap_find_or_put.h"
#include "gpu/kernel/visited/bitmap_flush.h"

/* One slot for every possible key, or every key of the member's part. */
KERNEL_FN uint64_t content_slots(const struct bitmap *table) { return table->keys; }

KERNEL_FN bool content_key(const struct bitmap *table, uint64_t i, uint64_t *key) {
#ifdef FLOE_LOCAL_INDEX
  const struct local_index shares = FLOE_LOCAL_INDEX;
  *key = local_index_key(&shares, table->member, i);
#else
  *key = i;
#endif
  return lane_has(table, i);
}

#undef FLOE_REHASHES /* a bitmap is never rehashed */
#include "gpu/kernel/explore/rehash.h"

#include "gpu/kernel/explore/key_transfer.h"

#endif
