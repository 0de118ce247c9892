/* Who of a group has a state: the same on every machine, and of no relation to where tables look for it. Kernel C, for
   every engine; comes after a shim (table/kernel/shim.h), which has KERNEL_FN and UINT64_C. */
#ifndef FLOE_KERNEL_OWNER_H
#define FLOE_KERNEL_OWNER_H

/* Of the bits of `mask` alone (engine/owners.h): both have `words` words; NULL: of all bits. Multiplications of 32
   bits, as this is done for each successor (odd constants of xxHash, Collet); the hash is scaled to `size` (Lemire
   2019), so that any number of members have equal shares. `state`: a key of the search. */
KERNEL_FN uint32_t owner_of(const uint64_t *state, const uint64_t *mask, uint32_t words, uint32_t size) {
  uint32_t hash = 0;
  for (uint32_t i = 0; i < words; i++) {
    const uint64_t bits = mask ? state[i] & mask[i] : state[i];
    hash += (uint32_t)bits * UINT32_C(0x9e3779b1) + (uint32_t)(bits >> 32) * UINT32_C(0x85ebca77);
    hash = (hash ^ hash >> 15) * UINT32_C(0xc2b2ae3d);
  }
  return (uint32_t)((uint64_t)(hash ^ hash >> 13) * size >> 32);
}

#endif
