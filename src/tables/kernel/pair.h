/* A key and its value in one slot, read and swapped together: 32 and 32 bits in a word of 64, or 64 and 64 bits in a
   slot of 128, if the machine has those (KERNEL_HAS_SLOT128). `bits`: width of each. The pair of all zeros is an
   empty slot.

   Relaxed order: a slot publishes nothing but the pair itself. */
#ifndef FLOE_TABLES_KERNEL_PAIR_H
#define FLOE_TABLES_KERNEL_PAIR_H

#include "tables/kernel/shim.h"

struct pair {
  uint64_t key, value;
};

KERNEL_FN bool pair_same(struct pair a, struct pair b) { return a.key == b.key && a.value == b.value; }

KERNEL_FN uint64_t pair_pack(struct pair pair) { return pair.value << 32 | pair.key; }

KERNEL_FN struct pair pair_unpack(uint64_t word) {
  struct pair pair;
  pair.key = (uint32_t)word;
  pair.value = word >> 32;
  return pair;
}

/* One snapshot. On the CPU a pair of 128 bits is one because a replaced key never returns to its slot. */
KERNEL_FN struct pair pair_load(const void *pairs, uint64_t i, unsigned bits) {
#ifdef KERNEL_HAS_SLOT128
  if (bits == 64) {
    const struct slot128 slot128 = slot128_load(pairs, i);
    struct pair pair;
    pair.key = slot128.low;
    pair.value = slot128.high;
    return pair;
  }
#endif
  (void)bits;
  return pair_unpack(slot_load(pairs, i, 64));
}

/* Writes `pair` to slot i if it holds `expected`. Returns the old content: `expected` if the pair was written. */
KERNEL_FN struct pair pair_swap(void *pairs, uint64_t i, unsigned bits, struct pair expected, struct pair pair) {
#ifdef KERNEL_HAS_SLOT128
  if (bits == 64) {
    const struct slot128 from = {expected.key, expected.value}, to = {pair.key, pair.value};
    const struct slot128 slot128 = slot128_swap(pairs, i, from, to);
    struct pair seen;
    seen.key = slot128.low;
    seen.value = slot128.high;
    return seen;
  }
#endif
  (void)bits;
  return pair_unpack(slot_swap(pairs, i, 64, pair_pack(expected), pair_pack(pair)));
}

#endif
