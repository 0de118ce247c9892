/* Owner of a state in a group: the same on every machine, and independent of the hashes of tables. Kernel C, for
   every engine. Owners of states of one word may also come from tables/kernel/local_index.h
   (engine/distributed/state_owner.h says when). */
#ifndef FLOE_KERNEL_OWNER_H
#define FLOE_KERNEL_OWNER_H

#include "tables/kernel/local_index.h"

/* Hashes the bits of `mask` only (engine/distributed/state_owner.h). State and mask have `words` words; NULL: all
   bits. `state`: a key of the search. */
KERNEL_FN uint32_t owner_of(const uint64_t *state, const uint64_t *mask, uint32_t words, uint32_t size) {
  uint32_t hash = 0;
  for (uint32_t i = 0; i < words; i++)
    hash = local_index_hash(hash, mask ? state[i] & mask[i] : state[i]);
  return local_index_scale(hash, size);
}

#endif
