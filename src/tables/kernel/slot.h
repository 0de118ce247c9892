/* Encoding of a slot. 0 is empty at every level. A slot holds a number plus one, so no bit marks occupied slots (the
   paper uses one).

       level 1: remainder
       level 2: remainder; the lowest bit says which of the two secondary buckets placed it
       level 3: the key (64 bits); the one key for which key + 1 is 0, 2^64 - 1, has a slot of its own

   In a table with deletion a deleted key leaves a tombstone, all bits set. No key has this value: level 1 is sized
   for remainders with one value less; at level 2 the largest remainder has no such encoding; at level 3 the one key
   with this encoding, 2^64 - 2, has a slot of its own as well. */
#ifndef FLOE_TABLES_KERNEL_SLOT_H
#define FLOE_TABLES_KERNEL_SLOT_H

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
/* Content of the slot of a last key. */
enum { LAST_KEY_HERE = 1 };

KERNEL_FN uint64_t slot_tombstone(unsigned bits) { return UINT64_MAX >> (64 - bits); }

/* Largest remainders in slots of `bits` bits; level 1 loses one value to tombstones. */
KERNEL_FN uint64_t first_largest(unsigned bits) { return (UINT64_MAX >> (64 - bits)) - 1; }
KERNEL_FN uint64_t second_largest(unsigned bits) { return (UINT64_MAX >> (65 - bits)) - 1; }

/* Bytes of n slots; packed slots: n is a multiple of PACKED_IN_WORD. */
KERNEL_FN uint64_t slot_bytes(uint64_t n, unsigned bits) {
  return bits == PACKED_BITS ? n / PACKED_IN_WORD * 8 : n * (bits / 8);
}

#endif
