/* Bucket scan with AVX2: pieces of up to 32 bytes, compared at once. A vector load is not atomic as a whole, but
   each slot in it is read at one time (scan_load); a scan guarantees no more. */
#ifndef FLOE_TABLES_KERNEL_SCAN_AVX2_H
#define FLOE_TABLES_KERNEL_SCAN_AVX2_H

#include "tables/kernel/scan_packed.h"

#include <immintrin.h>

KERNEL_FN __m256i scan_repeat(unsigned bits, uint64_t wanted) {
  return bits == 16   ? _mm256_set1_epi16((short)wanted)
         : bits == 32 ? _mm256_set1_epi32((int)wanted)
                      : _mm256_set1_epi64x((long long)wanted);
}

/* One bit for each slot of the piece that equals `value`'s. */
KERNEL_FN uint32_t scan_equal(__m256i piece, __m256i value, unsigned bits) {
  if (bits == 64)
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(piece, value)));
  if (bits == 32)
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(piece, value)));
  __m256i equal = _mm256_cmpeq_epi16(piece, value);
  __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(equal), _mm256_extracti128_si256(equal, 1));
  return (uint32_t)_mm_movemask_epi8(bytes);
}

/* Loads a piece of 8 to 32 bytes once, into a register; the rest is undefined. In assembly, because compilers turn
   an intrinsic's load into an operand of each comparison (GCC 12 of every one here), which reads the slots again. Of
   a vector load only elements of at most 8 bytes, aligned to their size, are read at one time each. Processors do
   that, and their manuals guarantee no less for up to 8 bytes (some for 16, none for 32). */
KERNEL_FN __m256i scan_load(const void *p, unsigned bytes) {
  __m256i piece;
  if (bytes == 8)
    __asm__ volatile("vmovq %1, %x0" : "=x"(piece) : "m"(*(const shared_load64_word *)p));
  else if (bytes == 16)
    __asm__ volatile("vmovdqa %1, %x0" : "=x"(piece) : "m"(*(const __m128i *)p));
  else
    __asm__ volatile("vmovdqa %1, %0" : "=x"(piece) : "m"(*(const __m256i *)p));
  return piece;
}

/* Packed slots: one mask for each field of the words; packed_order arranges them in the order of the slots. */
KERNEL_FN uint32_t scan_field(__m256i words, unsigned field) {
  const __m256i mask = scan_repeat(64, PACKED_MASK << field * PACKED_BITS);
  return scan_equal(_mm256_and_si256(words, mask), _mm256_setzero_si256(), 64);
}

KERNEL_FN struct scan scan_packed(const void *bucket, unsigned slots, uint64_t wanted) {
  const unsigned words = slots / PACKED_IN_WORD, segment_words = words < 4 ? words : 4;
  const uint32_t mask = UINT32_MAX >> (32 - segment_words);
  const __m256i repeated = scan_repeat(64, packed_repeat(wanted));
  uint32_t match = 0, low = 0, middle = 0, high = 0;
  for (unsigned at = 0; at < words; at += segment_words) {
    const __m256i piece = scan_load((const char *)bucket + at * 8, segment_words * 8);
    const __m256i differ = _mm256_xor_si256(piece, repeated);
    match |= scan_field(differ, 0) | scan_field(differ, 1) | scan_field(differ, 2);
    low |= (scan_field(piece, 0) & mask) << at;
    middle |= (scan_field(piece, 1) & mask) << at;
    high |= (scan_field(piece, 2) & mask) << at;
  }
  return (struct scan){match & mask, packed_order(low, middle, high)};
}

KERNEL_FN struct scan scan_bucket(const void *bucket, unsigned slots, unsigned bits, uint64_t wanted) {
  if (bits == PACKED_BITS)
    return slots == PACKED_IN_WORD ? scan_packed_word(bucket, wanted) : scan_packed(bucket, slots, wanted);
  const unsigned bytes = slots * bits / 8, piece_bytes = bytes < 32 ? bytes : 32;
  const unsigned piece_slots = piece_bytes * 8 / bits;
  const uint32_t piece_mask = UINT32_MAX >> (32 - piece_slots);
  const __m256i repeated = scan_repeat(bits, wanted), zero = _mm256_setzero_si256();
  struct scan scan = {0, 0};
  for (unsigned slot = 0; slot < slots; slot += piece_slots) {
    __m256i piece = scan_load((const char *)bucket + slot * bits / 8, piece_bytes);
    scan.match |= (scan_equal(piece, repeated, bits) & piece_mask) << slot;
    scan.empty |= (scan_equal(piece, zero, bits) & piece_mask) << slot;
  }
  return scan;
}

#endif
