/* Enumeration of the keys of a linear set, to move them to a table of any scheme, and for checkpoints. The text
   follows that of the destination set, which defines warp_flush. */
#ifndef FLOE_GPU_LINEAR_CONTENT_H
#define FLOE_GPU_LINEAR_CONTENT_H

#include "tables/kernel/linear.h"

/* The slot after the ordinary ones belongs to the one key that no slot can encode. */
KERNEL_FN uint64_t key_in_slot(const struct linear *table, uint64_t i, uint64_t slot) {
  return i < table->capacity ? slot - 1 : UINT64_MAX >> (64 - FLOE_FROM_SLOT_BITS);
}

KERNEL_FN uint64_t content_slots(const struct linear *table) {
  return table->capacity + (FLOE_KEY_BITS == FLOE_FROM_SLOT_BITS);
}

/* Processes strips of 32 slots. Homes are proportional to one hash for any capacity, so a warp's keys are put close
   together again. */
KERNEL_FN void move_content(struct warp *w, const struct linear *from) {
  const uint64_t n = content_slots(from);
  bool more = true;
  GPU_ROLLED
  for (uint64_t at = warp_number() * GPU_WARP; more; at += warp_count() * GPU_WARP) {
    const uint64_t i = at + w->lane;
    more = at < n;
    const uint64_t slot = i < n ? slot_load(from->slots, i, FLOE_FROM_SLOT_BITS) : 0;
    const uint64_t key = key_in_slot(from, i, slot);
    gpu_sync_warp();
    w->pending = keys_stage(w->staging->pending, w->pending, moved_key(w, key), slot != 0, w->lane);
    warp_flush(w, 0, 0, 0, !more);
  }
}

KERNEL_FN bool content_key(const struct linear *table, uint64_t i, uint64_t *key) {
  const uint64_t slot = slot_load(table->slots, i, FLOE_FROM_SLOT_BITS);
  *key = key_in_slot(table, i, slot);
  return slot != 0;
}

#endif
