/* Bucket scan with AVX-512 (F, BW, DQ, VL): pieces of up to 64 bytes, compared at once. A vector load is not atomic
   as a whole, but each slot in it is read at one time (scan_load); a scan guarantees no more. */
#ifndef FLOE_TABLES_KERNEL_SCAN_AVX512_H
#define FLOE_TABLES_KERNEL_SCAN_AVX512_H

#include "tables/kernel/scan_packed.h"

#include <immintrin.h>

KERNEL_FN __m512i scan_repeat(unsigned bits, uint64_t wanted) {
  return bits == 16   ? _mm512_set1_epi16((short)wanted)
         : bits == 32 ? _mm512_set1_epi32((int)wanted)
                      : _mm512_set1_epi64((long long)wanted);
}

/* Converts mask registers to words, in assembly because GCC 12 may extend a mask straight into a spilled word: it
   then stores one or two bytes (kmovb, kmovw) and reads back four. (Seen with -fsanitize=address,undefined.) */
KERNEL_FN uint32_t scan_word16(__mmask16 mask) {
  uint32_t word;
  __asm__("kmovw %1, %0" : "=r"(word) : "k"(mask));
  return word;
}

KERNEL_FN uint32_t scan_word8(__mmask8 mask) {
  uint32_t word;
  __asm__("kmovb %1, %0" : "=r"(word) : "k"(mask));
  return word;
}

KERNEL_FN uint32_t scan_equal(__m512i piece, __m512i wanted, unsigned bits) {
  return bits == 16   ? (uint32_t)_mm512_cmpeq_epi16_mask(piece, wanted)
         : bits == 32 ? scan_word16(_mm512_cmpeq_epi32_mask(piece, wanted))
                      : scan_word8(_mm512_cmpeq_epi64_mask(piece, wanted));
}

KERNEL_FN uint32_t scan_zero(__m512i piece, unsigned bits) {
  return bits == 16   ? (uint32_t)_mm512_testn_epi16_mask(piece, piece)
         : bits == 32 ? scan_word16(_mm512_testn_epi32_mask(piece, piece))
                      : scan_word8(_mm512_testn_epi64_mask(piece, piece));
}

/* Loads a piece of 8 to 64 bytes once, into a register; the rest is undefined. For assembly and atomicity see
   scan_avx2.h. */
KERNEL_FN __m512i scan_load(const void *p, unsigned bytes) {
  __m512i piece;
  if (bytes == 8)
    __asm__ volatile("vmovq %1, %x0" : "=v"(piece) : "m"(*(const shared_load64_word *)p));
  else if (bytes == 16)
    __asm__ volatile("vmovdqa64 %1, %x0" : "=v"(piece) : "m"(*(const __m128i *)p));
  else if (bytes == 32)
    __asm__ volatile("vmovdqa64 %1, %t0" : "=v"(piece) : "m"(*(const __m256i *)p));
  else
    __asm__ volatile("vmovdqa64 %1, %0" : "=v"(piece) : "m"(*(const __m512i *)p));
  return piece;
}

/* Packed slots: one mask for each field of the words; packed_order arranges them in the order of the slots. */
KERNEL_FN uint32_t scan_field(__m512i words, unsigned field) {
  const long long mask = (long long)(PACKED_MASK << field * PACKED_BITS);
  return scan_word8(_mm512_testn_epi64_mask(words, _mm512_set1_epi64(mask)));
}

KERNEL_FN struct scan scan_packed(const void *bucket, unsigned slots, uint64_t wanted) {
  const unsigned words = slots / PACKED_IN_WORD;
  const uint32_t mask = UINT32_MAX >> (32 - words);
  const __m512i piece = scan_load(bucket, words * 8);
  const __m512i differ = _mm512_xor_si512(piece, scan_repeat(64, packed_repeat(wanted)));
  struct scan scan;
  scan.match = (scan_field(differ, 0) | scan_field(differ, 1) | scan_field(differ, 2)) & mask;
  scan.empty = packed_order(scan_field(piece, 0) & mask, scan_field(piece, 1) & mask, scan_field(piece, 2) & mask);
  return scan;
}

KERNEL_FN struct scan scan_bucket(const void *bucket, unsigned slots, unsigned bits, uint64_t wanted) {
  if (bits == PACKED_BITS)
    return slots == PACKED_IN_WORD ? scan_packed_word(bucket, wanted) : scan_packed(bucket, slots, wanted);
  const unsigned bytes = slots * bits / 8, piece_bytes = bytes < 64 ? bytes : 64;
  const unsigned piece_slots = piece_bytes * 8 / bits;
  const uint32_t piece_mask = UINT32_MAX >> (32 - piece_slots);
  const __m512i repeated = scan_repeat(bits, wanted);
  struct scan scan = {0, 0};
  for (unsigned slot = 0; slot < slots; slot += piece_slots) {
    __m512i piece = scan_load((const char *)bucket + slot * bits / 8, piece_bytes);
    scan.match |= (scan_equal(piece, repeated, bits) & piece_mask) << slot;
    scan.empty |= (scan_zero(piece, bits) & piece_mask) << slot;
  }
  return scan;
}

#endif
