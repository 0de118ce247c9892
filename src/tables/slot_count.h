/* Counts slots in use by words of 64 bits, because a benchmark counts all slots of its tables. Each word is read
   once: with concurrent writes a count covers slots at different times. */
#ifndef FLOE_TABLES_SLOT_COUNT_H
#define FLOE_TABLES_SLOT_COUNT_H

#include "tables/kernel/shim.h"

#include <stddef.h>
#include <stdint.h>

#define COUNT_INLINE static inline __attribute__((always_inline))

typedef uint64_t count_word __attribute__((may_alias)); /* of slots of any width */

/* Slots of a word that are not 0. For slots of 16 bits, the top bit of each is set by its own bits or by a carry
   from the others, which never leaves the slot. */
COUNT_INLINE uint64_t count_in_word(uint64_t word, unsigned bits) {
  if (bits == 64)
    return word != 0;
  if (bits == 32)
    return (uint64_t)((uint32_t)word != 0) + (word >> 32 != 0);
  const uint64_t tops = UINT64_C(0x8000800080008000);
  const uint64_t used = (((word & ~tops) + ~tops) | word) & tops;
  return (used >> 15) * UINT64_C(0x0001000100010001) >> 48;
}

COUNT_INLINE uint64_t count_in_words(const count_word *words, uint64_t n, unsigned bits, uint64_t pattern) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < n; i++)
    count += count_in_word(shared_load64(&words[i]) ^ pattern, bits);
  return count;
}

/* Number of n slots of 16, 32 or 64 bits, which fill whole words, that differ from `value`. */
COUNT_INLINE uint64_t count_unlike(const void *slots, uint64_t n, unsigned bits, uint64_t value) {
  switch (bits) {
  case 16:
    return count_in_words(slots, n / 4, 16, value * UINT64_C(0x0001000100010001));
  case 32:
    return count_in_words(slots, n / 2, 32, value << 32 | value);
  default:
    return count_in_words(slots, n, 64, value);
  }
}

/* Number of n slots of 32 or 64 bits that are neither 0 nor all ones. */
COUNT_INLINE uint64_t count_living(const count_word *words, uint64_t n, unsigned bits) {
  const uint64_t in_words = n * bits / 64;
  uint64_t count = 0;
  for (uint64_t i = 0; i < in_words; i++) {
    const uint64_t word = shared_load64(&words[i]);
    count += count_in_word(word, bits) + count_in_word(~word, bits);
  }
  return count - n;
}

/* Number of n pairs of 64-bit words whose first word is not 0. */
COUNT_INLINE uint64_t count_pairs(const count_word *words, uint64_t n) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < n; i++)
    count += shared_load64(&words[2 * i]) != 0;
  return count;
}

/* Number of n words of 64 bits whose lower half is not 0. */
COUNT_INLINE uint64_t count_low_halves(const count_word *words, uint64_t n) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < n; i++)
    count += (uint32_t)shared_load64(&words[i]) != 0;
  return count;
}

#endif
