/* What a slot holds. Empty is 0 at every level.
     level 1: remainder, occupied bit                      (lowest)
     level 2: remainder, which of the two secondary buckets placed it, occupied bit
     level 3: the key + 1 (64 bits); the one key for which that is 0, 2^64 - 1, has a slot of its own */
#ifndef FLOE_KERNEL_SLOT_H
#define FLOE_KERNEL_SLOT_H

#include "table/kernel/shim.h"

enum { FIRST_FLAG_BITS = 1, SECOND_FLAG_BITS = 2, THIRD_SLOT_BITS = 64 };

KERNEL_FN uint64_t first_encode(uint64_t remainder) { return remainder << 1 | 1; }
KERNEL_FN uint64_t first_remainder(uint64_t slot) { return slot >> 1; }

/* which: 0 for the key's first secondary bucket, 1 for its second one */
KERNEL_FN uint64_t second_encode(uint64_t remainder, unsigned which) {
  return remainder << 2 | which << 1 | 1;
}
KERNEL_FN uint64_t second_remainder(uint64_t slot) { return slot >> 2; }
KERNEL_FN unsigned second_which(uint64_t slot) { return (unsigned)(slot >> 1) & 1; }

KERNEL_FN uint64_t third_encode(uint64_t key) { return key + 1; }
KERNEL_FN uint64_t third_key(uint64_t slot) { return slot - 1; }

#endif
