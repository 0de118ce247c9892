/* Local index: numbers without gaps for the keys that one member of a group owns. So a set with a place for every
   key (tables/kernel/bitmap.h) needs no places for keys of other members. Kernel C.

   A digit of the key, with as many values as there are members, is removed from it: key = (high * members + digit)
   << below | low. The local index is the rest, high << below | low. The owner is the digit plus a hash of the rest,
   modulo the members. So owner and local index determine the key, and keys that differ only in the digit have all
   members as owners in turn. The digit takes `width` bits of the key; the bits above them stay unchanged. */
#ifndef FLOE_TABLES_KERNEL_LOCAL_INDEX_H
#define FLOE_TABLES_KERNEL_LOCAL_INDEX_H

#include "tables/kernel/shim.h"

struct local_index {
  uint64_t mask;         /* bits of the key that may decide its owner, without those of the digit */
  uint64_t quotients;    /* values of the digit's bits after removing the digit: 2^width / members, rounded up */
  uint32_t members;      /* 0: keys have no owner, and each key is its own local index */
  uint32_t below, width; /* bits of the digit: `width` of them, from bit `below` on */
};

/* ---- the hash ------------------------------------------------------------------------------------ */

/* Hashes word by word, starting with hash 0. Multiplications of 32 bits, because each successor is hashed (odd
   constants of xxHash, Collet). */
KERNEL_FN uint32_t local_index_hash(uint32_t hash, uint64_t bits) {
  hash += (uint32_t)bits * UINT32_C(0x9e3779b1) + (uint32_t)(bits >> 32) * UINT32_C(0x85ebca77);
  return (hash ^ hash >> 15) * UINT32_C(0xc2b2ae3d);
}

/* Scales the hash to `members` (Lemire 2019), so that any number of members own equal parts. */
KERNEL_FN uint32_t local_index_scale(uint32_t hash, uint32_t members) {
  return (uint32_t)((uint64_t)(hash ^ hash >> 13) * members >> 32);
}

/* ---- keys and numbers ---------------------------------------------------------------------------- */

KERNEL_FN uint64_t local_index_low(const struct local_index *index, uint64_t key) {
  return key & ((UINT64_C(1) << index->below) - 1);
}
KERNEL_FN uint64_t local_index_digit_bits(const struct local_index *index, uint64_t key) {
  return index->width < 64 ? key >> index->below & ((UINT64_C(1) << index->width) - 1) : key >> index->below;
}
/* The bits above those of the digit. */
KERNEL_FN uint64_t local_index_above(const struct local_index *index, uint64_t key) {
  return index->below + index->width < 64 ? key >> (index->below + index->width) : 0;
}

KERNEL_FN uint64_t local_index_number(const struct local_index *index, uint64_t key) {
  if (!index->members)
    return key;
  const uint64_t high =
      local_index_above(index, key) * index->quotients + local_index_digit_bits(index, key) / index->members;
  return high << index->below | local_index_low(index, key);
}

KERNEL_FN uint32_t local_index_rotate(const struct local_index *index, uint32_t digit, uint64_t rest) {
  const uint32_t owner = digit + local_index_scale(local_index_hash(0, rest & index->mask), index->members);
  return owner < index->members ? owner : owner - index->members;
}

/* `members` > 0. */
KERNEL_FN uint32_t local_index_owner(const struct local_index *index, uint64_t key) {
  const uint32_t digit = (uint32_t)(local_index_digit_bits(index, key) % index->members);
  return local_index_rotate(index, digit, key - ((uint64_t)digit << index->below));
}

/* The key of this member with the given local index. */
KERNEL_FN uint64_t local_index_key(const struct local_index *index, uint32_t member, uint64_t number) {
  if (!index->members)
    return number;
  const uint64_t high = number >> index->below;
  uint64_t rest = high * index->members << index->below;
  if (index->below + index->width < 64)
    rest = (high / index->quotients << index->width | high % index->quotients * index->members) << index->below;
  rest |= local_index_low(index, number);
  const uint32_t none = local_index_rotate(index, 0, rest); /* owner if the digit were 0 */
  return rest + ((uint64_t)(member >= none ? member - none : member + index->members - none) << index->below);
}

/* Exclusive bound of the local indexes of all keys below `keys`, for any member. keys > 0. */
KERNEL_FN uint64_t local_index_numbers(const struct local_index *index, uint64_t keys) {
  if (!index->members)
    return keys;
  return ((local_index_number(index, keys - 1) >> index->below) + 1) << index->below;
}

#endif
