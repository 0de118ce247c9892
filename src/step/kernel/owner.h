/* Who of a group has a state: the same on every machine, and of no relation to where tables look for it. Kernel C, for
   every engine; comes after a shim (table/kernel/shim.h), which has KERNEL_FN and UINT64_C. */
#ifndef FLOE_KERNEL_OWNER_H
#define FLOE_KERNEL_OWNER_H

/* The last steps of SplitMix64 (Steele, Lea, Flood 2014) over the words; the upper 32 bits, scaled to `size` (Lemire
   2019), so that any number of members have equal shares. `state`: a key of the search, `words` of them. */
KERNEL_FN uint32_t owner_of(const uint64_t *state, uint32_t words, uint32_t size) {
  uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
  for (uint32_t i = 0; i < words; i++) {
    hash = (hash ^ state[i]) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    hash ^= hash >> 31;
  }
  return (uint32_t)((hash >> 32) * size >> 32);
}

#endif
