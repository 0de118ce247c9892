/* Keys that are dealt out to members of a group, and numbers for each one's own without gaps, so that a set with a
   place for every key (tables/kernel/bitmap.h) need not have places for those of others. Kernel C.

   A digit of the key, of as many values as there are members, goes out of it: key = (high * members + digit) << below
   | low, and what is left, high << below | low, is its number. To the digit a hash of the rest of the key is added:
   that is its owner. So the key can be had again from its owner and its number, and keys that differ in nothing else
   are dealt out to all in turn. The digit is of `width` bits, and what is above them stays as it is. */
#ifndef FLOE_KERNEL_SHARES_H
#define FLOE_KERNEL_SHARES_H

#include "tables/kernel/shim.h"

struct local_index {
  uint64_t mask;         /* bits of the key that may say whose it is, without the digit's part in them */
  uint64_t groups;       /* values of what is left of the digit's bits: 2^width / members, rounded up */
  uint32_t members;      /* 0: keys are nobody's, and each is its own number */
  uint32_t below, width; /* the digit's bits: width of them, from bit `below` on */
};

/* ---- the hash ------------------------------------------------------------------------------------ */

/* Of one word after the other, from 0 on. Multiplications of 32 bits, as this is done for each successor (odd constants
   of xxHash, Collet). */
KERNEL_FN uint32_t share_mix(uint32_t hash, uint64_t bits) {
  hash += (uint32_t)bits * UINT32_C(0x9e3779b1) + (uint32_t)(bits >> 32) * UINT32_C(0x85ebca77);
  return (hash ^ hash >> 15) * UINT32_C(0xc2b2ae3d);
}

/* Scaled to `members` (Lemire 2019), so that any number of members have equal shares. */
KERNEL_FN uint32_t share_scale(uint32_t hash, uint32_t members) {
  return (uint32_t)((uint64_t)(hash ^ hash >> 13) * members >> 32);
}

/* ---- keys and numbers ---------------------------------------------------------------------------- */

KERNEL_FN uint64_t local_index_low(const struct local_index *s, uint64_t key) {
  return key & ((UINT64_C(1) << s->below) - 1);
}
KERNEL_FN uint64_t local_index_digit_bits(const struct local_index *s, uint64_t key) {
  return s->width < 64 ? key >> s->below & ((UINT64_C(1) << s->width) - 1) : key >> s->below;
}
/* What is above the digit's bits. */
KERNEL_FN uint64_t local_index_above(const struct local_index *s, uint64_t key) {
  return s->below + s->width < 64 ? key >> (s->below + s->width) : 0;
}

KERNEL_FN uint64_t local_index_number(const struct local_index *s, uint64_t key) {
  if (!s->members)
    return key;
  const uint64_t high = local_index_above(s, key) * s->groups + local_index_digit_bits(s, key) / s->members;
  return high << s->below | local_index_low(s, key);
}

KERNEL_FN uint32_t local_index_turn(const struct local_index *s, uint32_t digit, uint64_t rest) {
  const uint32_t owner = digit + share_scale(share_mix(0, rest & s->mask), s->members);
  return owner < s->members ? owner : owner - s->members;
}

/* `members` > 0. */
KERNEL_FN uint32_t local_index_owner(const struct local_index *s, uint64_t key) {
  const uint32_t digit = (uint32_t)(local_index_digit_bits(s, key) % s->members);
  return local_index_turn(s, digit, key - ((uint64_t)digit << s->below));
}

/* The key of this member that has the number. */
KERNEL_FN uint64_t local_index_key(const struct local_index *s, uint32_t member, uint64_t number) {
  if (!s->members)
    return number;
  const uint64_t high = number >> s->below;
  uint64_t rest = high * s->members << s->below;
  if (s->below + s->width < 64)
    rest = (high / s->groups << s->width | high % s->groups * s->members) << s->below;
  rest |= local_index_low(s, number);
  const uint32_t none = local_index_turn(s, 0, rest); /* the owner, if the digit were 0 */
  return rest + ((uint64_t)(member >= none ? member - none : member + s->members - none) << s->below);
}

/* Whatever member has them: the numbers of all keys below `keys`, which is not 0, are below that. */
KERNEL_FN uint64_t local_index_numbers(const struct local_index *s, uint64_t keys) {
  if (!s->members)
    return keys;
  return ((local_index_number(s, keys - 1) >> s->below) + 1) << s->below;
}

#endif
