/* What both levels of a working-set table work on. */
#ifndef FLOE_WORKSET_PAIRS_H
#define FLOE_WORKSET_PAIRS_H

#include <stddef.h>
#include <stdint.h>

struct workset_pair {
  uint64_t key, value;
};

/* What a table's seed makes of its keys' hashes: a bijection that mixes all bits (the finaliser of splitmix64). Kernels
   have the same. */
static inline uint64_t workset_hash(uint64_t seed, uint64_t key) {
  uint64_t x = key ^ seed;
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* The hash's place among n. */
static inline uint64_t workset_place(uint64_t hash, uint64_t n) {
  return (uint64_t)((unsigned __int128)hash * n >> 64);
}

typedef void workset_visit(void *user, const uint64_t *keys, const uint64_t *values, size_t n);

#endif
