/* What a slot holds. Empty is 0 at every level; what is stored is a number plus one, so that no bit is spent to say
   "occupied" (the paper spends one).
     level 1: remainder
     level 2: remainder, and in the lowest bit which of the two secondary buckets placed it
     level 3: the key (64 bits); the one key for which key + 1 is 0, 2^64 - 1, has a slot of its own
   In a table with deletion a deleted key leaves a tombstone, all bits set: it is no key's value, as level 1 is laid out
   for remainders of one value less, at level 2 the largest remainder has no such encoding anyway, and at level 3 the
   one key with this encoding, 2^64 - 2, has a slot of its own as well. */
#ifndef FLOE_KERNEL_SLOT_H
#define FLOE_KERNEL_SLOT_H

#include "tables/kernel/shim.h"

enum { THIRD_SLOT_BITS = 64 };

KERNEL_FN uint64_t first_encode(uint64_t remainder) { return remainder + 1; }
KERNEL_FN uint64_t first_remainder(uint64_t slot) { return slot - 1; }

/* which: 0 for the key's first secondary bucket, 1 for its second one */
KERNEL_FN uint64_t second_encode(uint64_t remainder, unsigned which) { return (remainder << 1 | which) + 1; }
KERNEL_FN uint64_t second_remainder(uint64_t slot) { return (slot - 1) >> 1; }
KERNEL_FN unsigned second_which(uint64_t slot) { return (unsigned)(slot - 1) & 1; }

KERNEL_FN uint64_t third_encode(uint64_t key) { return key + 1; }
KERNEL_FN uint64_t third_key(uint64_t slot) { return slot - 1; }
/* Of a slot for one of the last keys. */
enum { LAST_KEY_HERE = 1 };

KERNEL_FN uint64_t slot_tombstone(unsigned bits) { return UINT64_MAX >> (64 - bits); }

/* The largest remainders that slots of `bits` bits hold; at level 1 one less beside tombstones. */
KERNEL_FN uint64_t first_largest(unsigned bits) { return (UINT64_MAX >> (64 - bits)) - 1; }
KERNEL_FN uint64_t second_largest(unsigned bits) { return (UINT64_MAX >> (65 - bits)) - 1; }

/* Bytes of n slots: of packed slots n is a multiple of PACKED_IN_WORD. */
KERNEL_FN uint64_t slot_bytes(uint64_t n, unsigned bits) {
  return bits == PACKED_BITS ? n / PACKED_IN_WORD * 8 : n * (bits / 8);
}

#endif
