/* Numbers of keys in a bitmap: their bits. */
#ifndef FLOE_GPU_CYCLES_BITMAP_SLOTS_H
#define FLOE_GPU_CYCLES_BITMAP_SLOTS_H

#include "gpu/kernel/visited/bitmap_find_or_put.h"

#define NO_SLOT UINT64_MAX
#define LATER_SLOT (UINT64_MAX - 1)

KERNEL_FN uint64_t visited_slot_first(const struct bitmap *table, uint64_t key, uint32_t active, unsigned lane) {
  return (active >> lane & 1) && key < table->keys ? number_of(key) : NO_SLOT;
}

KERNEL_FN uint64_t visited_slot_later(const struct bitmap *table, uint64_t key) {
  (void)table, (void)key;
  return NO_SLOT;
}

#endif
