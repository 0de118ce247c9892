/* find-or-put in a bitmap (tables/kernel/bitmap.h); each lane has keys of its own.

   Memory latency is nearly the whole cost of a key. A lane therefore issues the loads of all its keys before it looks
   at the first word, and then all atomics, for the keys whose bits were clear. (A warp that looked at each word
   before the next load would have one load in flight instead of twelve.) */
#ifndef FLOE_GPU_BITMAP_FIND_OR_PUT_H
#define FLOE_GPU_BITMAP_FIND_OR_PUT_H

#include "tables/kernel/bitmap.h"

enum { BITMAP_AT_ONCE = 12 }; /* keys of a lane whose words are in flight at the same time */

/* Number of a key in a member's own part, whose parameters the text contains: divisions by constants are cheap. */
KERNEL_FN uint64_t number_of(uint64_t key) {
#ifdef FLOE_LOCAL_INDEX
  const struct local_index shares = FLOE_LOCAL_INDEX;
  return local_index_number(&shares, key);
#else
  return key;
#endif
}

KERNEL_FN uint32_t *word_of(const struct bitmap *table, uint64_t number) {
  return &table->words[number / BITMAP_WORD_BITS];
}
KERNEL_FN uint32_t bit_of(uint64_t number) { return UINT32_C(1) << number % BITMAP_WORD_BITS; }

KERNEL_FN bool lane_has(const struct bitmap *table, uint64_t number) {
  return (gpu_load32(word_of(table, number)) & bit_of(number)) != 0;
}
KERNEL_FN bool lane_find(const struct bitmap *table, uint64_t key) { return lane_has(table, number_of(key)); }

KERNEL_FN unsigned lane_find_or_put(const struct bitmap *table, uint64_t key) {
  const uint64_t number = number_of(key);
  const uint32_t bit = bit_of(number);
  if (lane_has(table, number))
    return BITMAP_FOUND;
  return gpu_or32(word_of(table, number), bit) & bit ? BITMAP_FOUND : BITMAP_PUT;
}

/* find-or-put of the first n of `most` keys (a compile-time constant, at most BITMAP_AT_ONCE), key k at keys[32 k].
   Bit k of the result: key k was put. A duplicate key is put once. */
KERNEL_FN uint32_t lane_put_all(const struct bitmap *table, const uint64_t *keys, uint32_t n, unsigned most) {
  uint32_t words[BITMAP_AT_ONCE], put = 0;
  GPU_UNROLL
  for (unsigned k = 0; k < BITMAP_AT_ONCE; k++)
    if (k < most) {
      const uint64_t number = number_of(k < n ? keys[k * 32] : 0);
      words[k] = gpu_load32_if(word_of(table, number), k < n, UINT32_MAX);
    }
  GPU_UNROLL
  for (unsigned k = 0; k < BITMAP_AT_ONCE; k++)
    if (k < most) {
      const uint64_t number = number_of(k < n ? keys[k * 32] : 0);
      const uint32_t bit = bit_of(number);
      words[k] = gpu_or32_if(word_of(table, number), bit, (words[k] & bit) == 0, bit) & bit;
    }
  GPU_UNROLL
  for (unsigned k = 0; k < BITMAP_AT_ONCE; k++)
    if (k < most)
      put |= (uint32_t)(words[k] == 0) << k;
  return put;
}

/* ---- the visited set of an exploration (gpu/kernel/base/warp.h) ----------------------------------------- */

#define FLOE_VISITED struct bitmap

KERNEL_FN unsigned visited_single_lane(const struct bitmap *table, uint64_t key) {
  return lane_find_or_put(table, key);
}

KERNEL_FN bool visited_find(const struct bitmap *table, uint64_t key, uint32_t active, unsigned lane) {
  const bool found = (active >> lane & 1) && lane_find(table, key);
  gpu_sync_warp();
  return found;
}

#endif
