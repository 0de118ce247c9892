/* Keys that a worker has met lately, so that most duplicates never get as far as the visited set.
   A direct-mapped cache of whole keys in memory that starts as zeros: a key found in it has been
   entered before, so it is in the visited set or waits to be put there; a key that is not found may
   be anything. Breadth-first search meets most duplicates of a state soon after the state itself:
   the states that lead to it by two transitions in either order lie side by side in their level. */
#ifndef FLOE_RECENT_H
#define FLOE_RECENT_H

#include <stddef.h>
#include <stdint.h>

/* 256 KiB of a second-level cache of 1 or 2 MiB. */
#define RECENT_BITS 15
#define RECENT_SLOTS ((size_t)1 << RECENT_BITS)
#define RECENT_BYTES (RECENT_SLOTS * sizeof(uint64_t))

/* Fibonacci hashing: the place of 0 is 0, that of 1 is not. */
static inline size_t duplicate_filter_place(uint64_t key) {
  return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_BITS));
}

/* To be called on zeros: an empty slot must not hold a key whose place it is. */
static inline void duplicate_filter_begin(uint64_t *slots) { slots[0] = 1; }

/* Enters keys[0..n) and removes those that were there; returns how many are left, in order. Without
   a branch: whether a key is new is as good as random. */
static inline size_t duplicate_filter_drop(uint64_t *restrict slots, uint64_t *keys, size_t n) {
  size_t left = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t key = keys[i], *slot = &slots[duplicate_filter_place(key)];
    keys[left] = key;
    left += *slot != key;
    *slot = key;
  }
  return left;
}

#endif
