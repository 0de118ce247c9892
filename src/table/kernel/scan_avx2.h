/* Bucket scan with AVX2: pieces of up to 32 bytes, compared at once. A wide load is not atomic as a whole, but each
   slot in it is read at one time (slots are aligned), which is all that a scan promises. */
#ifndef FLOE_KERNEL_SCAN_AVX2_H
#define FLOE_KERNEL_SCAN_AVX2_H

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

KERNEL_FN struct scan scan_bucket(const void *bucket, unsigned slots, unsigned bits,
                                  uint64_t wanted) {
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
