/* Pairs and hashes of both levels of a working-set table. */
#ifndef FLOE_TABLES_WORKING_SET_PAIRS_H
#define FLOE_TABLES_WORKING_SET_PAIRS_H

#include "base/splitmix64.h"

#include <stddef.h>
#include <stdint.h>

struct workset_pair {
  uint64_t key, value;
};

/* Hash of a key under the table's seed: a bijection that mixes all bits (the finaliser of splitmix64). Kernels have
   the same function. */
static inline uint64_t workset_hash(uint64_t seed, uint64_t key) { return splitmix64_mix(key ^ seed); }

/* Maps a hash to one of n places. */
static inline uint64_t workset_place(uint64_t hash, uint64_t n) {
  return (uint64_t)((unsigned __int128)hash * n >> 64);
}

typedef void workset_visit(void *user, const uint64_t *keys, const uint64_t *values, size_t n);

#endif
