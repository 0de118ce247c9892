/* Bucket scan with AVX2: pieces of up to 32 bytes, compared at once. A wide load is not atomic as a whole, but each
   slot in it is read at one time (slots are aligned), which is all that a scan promises. */
#ifndef FLOE_KERNEL_SCAN_AVX2_H
#define FLOE_KERNEL_SCAN_AVX2_H

#include "table/kernel/scan_packed.h"

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
  __m128i bytes =
      _mm_packs_epi16(_mm256_castsi256_si128(equal), _mm256_extracti128_si256(equal, 1));
  return (uint32_t)_mm_movemask_epi8(bytes);
}

/* A piece of 8 to 32 bytes, the rest undefined. */
KERNEL_FN __m256i scan_load(const void *p, unsigned bytes) {
  return bytes == 8    ? _mm256_castsi128_si256(_mm_loadl_epi64((const __m128i *)p))
         : bytes == 16 ? _mm256_castsi128_si256(_mm_load_si128((const __m128i *)p))
                       : _mm256_load_si256((const __m256i *)p);
}

/* Packed slots: one mask a field of the words, which are then put in the order of the slots. */
KERNEL_FN uint32_t scan_field(__m256i words, unsigned field) {
  const __m256i mask = scan_repeat(64, PACKED_MASK << field * PACKED_BITS);
  return scan_equal(_mm256_and_si256(words, mask), _mm256_setzero_si256(), 64);
}

KERNEL_FN struct scan scan_packed(const void *bucket, unsigned slots, uint64_t wanted) {
  const unsigned words = slots / PACKED_IN_WORD, piece_words = words < 4 ? words : 4;
  const uint32_t mask = UINT32_MAX >> (32 - piece_words);
  const __m256i repeated = scan_repeat(64, packed_repeat(wanted));
  uint32_t match = 0, empty[PACKED_IN_WORD] = {0, 0, 0};
  for (unsigned at = 0; at < words; at += piece_words) {
    const __m256i piece = scan_load((const char *)bucket + at * 8, piece_words * 8);
    for (unsigned field = 0; field < PACKED_IN_WORD; field++) {
      match |= scan_field(_mm256_xor_si256(piece, repeated), field) & mask;
      empty[field] |= (scan_field(piece, field) & mask) << at;
    }
  }
  return (struct scan){match, packed_order(empty[0], empty[1], empty[2])};
}

KERNEL_FN struct scan scan_bucket(const void *bucket, unsigned slots, unsigned bits,
                                  uint64_t wanted) {
  if (bits == PACKED_BITS)
    return slots == PACKED_IN_WORD ? scan_packed_word(bucket, wanted)
                                   : scan_packed(bucket, slots, wanted);
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
