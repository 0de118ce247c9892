/* Permutations of a table whose key width and kind of permutation are compile-time constants; for all schemes.

   Defined before: FLOE_KEY_BITS, FLOE_PERMUTATION. */
#ifndef FLOE_GPU_PERMUTE_H
#define FLOE_GPU_PERMUTE_H

#include "tables/kernel/permutation.h"

/* The kind, the width and the values derived from them are compile-time constants; factors and offsets are the
   table's. */
#ifdef FLOE_MULTIWORD
/* Keys that stand for roots widen during a search: only the kind is constant. */
KERNEL_FN struct permutation table_permutation(const struct permutation *given) {
  struct permutation p = *given;
  p.kind = FLOE_PERMUTATION;
  return p;
}
#else
KERNEL_FN struct permutation table_permutation(const struct permutation *given) {
  const unsigned low = FLOE_KEY_BITS / 2;
  struct permutation p = *given;
  p.kind = FLOE_PERMUTATION;
  p.bits = FLOE_KEY_BITS;
  p.shift = FLOE_PERMUTATION == PERMUTATION_MIX ? FLOE_KEY_BITS - low : low;
  p.mask = UINT64_MAX >> (64 - FLOE_KEY_BITS);
  p.low_mask = p.mask >> (FLOE_KEY_BITS - low);
  return p;
}
#endif

KERNEL_FN uint64_t table_permute(const struct permutation *given, uint64_t key) {
  const struct permutation p = table_permutation(given);
  return permutation_apply(&p, key);
}

KERNEL_FN uint64_t table_unpermute(const struct permutation *given, uint64_t permuted) {
  const struct permutation p = table_permutation(given);
  return permutation_invert(&p, permuted);
}

#endif
