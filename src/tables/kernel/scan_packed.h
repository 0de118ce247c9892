/* Packed slots (21 bits, three to a word): helpers of both scans with vector loads. */
#ifndef FLOE_TABLES_KERNEL_SCAN_PACKED_H
#define FLOE_TABLES_KERNEL_SCAN_PACKED_H

#include <immintrin.h>

KERNEL_FN uint64_t packed_repeat(uint64_t wanted) { return wanted | wanted << PACKED_BITS | wanted << 2 * PACKED_BITS; }

/* Interleaves three masks with a bit a word into one mask with a bit a slot. */
KERNEL_FN uint32_t packed_order(uint32_t low, uint32_t middle, uint32_t high) {
  return _pdep_u32(low, 0x249249) | _pdep_u32(middle, 0x492492) | _pdep_u32(high, 0x924924);
}

/* A bit for each empty field of the word. */
KERNEL_FN uint32_t packed_empty(uint64_t word) {
  return (uint32_t)((word & PACKED_MASK) == 0) | (uint32_t)((word & PACKED_MASK << PACKED_BITS) == 0) << 1 |
         (uint32_t)((word & PACKED_MASK << 2 * PACKED_BITS) == 0) << 2;
}

KERNEL_FN struct scan scan_packed_word(const void *bucket, uint64_t wanted) {
  const uint64_t word = shared_load64(bucket);
  return (struct scan){packed_empty(word ^ packed_repeat(wanted)), packed_empty(word)};
}

#endif
