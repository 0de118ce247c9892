/* Numbers of keys in an iceberg table: their slots (tables/kernel/slot_number.h). */
#ifndef FLOE_GPU_CYCLES_ICEBERG_SLOTS_H
#define FLOE_GPU_CYCLES_ICEBERG_SLOTS_H

#include "gpu/kernel/visited/iceberg_placement.h"

#define LATER_SLOT (UINT64_MAX - 1) /* the key is in a later level, or absent */

KERNEL_FN uint64_t slot_of(struct placement placement, uint64_t full) {
  return placement.answer == ICEBERG_FOUND ? placement.slot : placement.answer == ICEBERG_FULL ? full : NO_SLOT;
}

/* Number of the lane's key; NO_SLOT: it is absent. All lanes of the warp call it. */
KERNEL_FN uint64_t visited_slot_first(const struct iceberg *table, uint64_t key, uint32_t active, unsigned lane) {
  return slot_of(warp_first_placement(table, key, active, lane, false), LATER_SLOT);
}

/* The same for a key of LATER_SLOT, by one lane. */
KERNEL_FN uint64_t visited_slot_later(const struct iceberg *table, uint64_t key) {
  return slot_of(lane_later_placement(table, key, false), NO_SLOT);
}

#endif
