/* Filter of recently seen keys, one per worker: most duplicates are dropped before they reach the visited set. A
   direct-mapped cache of whole keys, initially zeros. A key found in it was entered before, so it is in the visited
   set or will be inserted; a key not found may be new or not. Breadth-first search finds most duplicates of a state
   soon after the state itself: states that lead to it by two transitions in either order are close together in their
   level. */
#ifndef FLOE_ENGINE_CPU_DUPLICATE_FILTER_H
#define FLOE_ENGINE_CPU_DUPLICATE_FILTER_H

#include <stddef.h>
#include <stdint.h>

/* 256 KiB, for a second-level cache of 1 or 2 MiB. */
#define DUPLICATE_FILTER_BITS 15
#define DUPLICATE_FILTER_SLOTS ((size_t)1 << DUPLICATE_FILTER_BITS)
#define DUPLICATE_FILTER_BYTES (DUPLICATE_FILTER_SLOTS * sizeof(uint64_t))

/* Fibonacci hashing: key 0 is in slot 0, key 1 is not. */
static inline size_t duplicate_filter_place(uint64_t key) {
  return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - DUPLICATE_FILTER_BITS));
}

/* Called on zeros: an empty slot must not match the key 0 of slot 0. */
static inline void duplicate_filter_begin(uint64_t *slots) { slots[0] = 1; }

/* Enters keys[0..n) and removes those already present; returns how many remain, in order. Branch-free: the outcome
   is unpredictable. */
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
