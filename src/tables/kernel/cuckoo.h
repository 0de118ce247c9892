/* The compact cuckoo scheme (section 4.4 of the paper): put with eviction and find, one step of one key at a time.

   A key has H buckets, one for each of H permutations; a slot holds the key's remainder in the bucket and the number
   j of the permutation that placed it, as remainder * H + j + 1: 0 is empty, and no bit is spent to say so.
   Slots of 128 bits are of a map: that entry in a word of 64 bits and the value in the next, which move together.

   Invariant: a key that lies in the bucket of its permutation j found its buckets of all permutations i < j full.
   A slot is never emptied: it is written when it is empty (once) and exchanged for another key's entry after that, so
   that a full bucket stays full, also when a put ends without a place. So a find may stop at the first bucket that
   has an empty slot. A key that is evicted from its bucket j goes on to bucket j + 1 (bucket j is full), and after the
   last to bucket 0, where the invariant asks for nothing.

   Puts may go on side by side, if their keys are all different and not in the table: an eviction is one atomic
   exchange, so that every key is at any time either in one slot or in the hand of one put. That is also why find,
   and so find-or-put, cannot go on at the same time: a key in a hand is in no slot. There is no deletion: an emptied
   slot would end the search for keys that lie in a later bucket because it was full.

   Departures from Algorithm 4 of the paper: after a failed compare-and-swap the next slot seen empty is tried without
   reading the bucket again; the last step of a chain evicts nobody; and the key that is in the hand then is given
   back, so that no key is lost. */
#ifndef FLOE_KERNEL_CUCKOO_H
#define FLOE_KERNEL_CUCKOO_H

#include "tables/kernel/permutation.h"
#include "tables/kernel/quotient.h"

enum cuckoo_answer { CUCKOO_FOUND, CUCKOO_PUT, CUCKOO_FULL, CUCKOO_GO_ON };
enum {
  CUCKOO_MOST_HASHES = 8,
  CUCKOO_PAIR_BITS = 128, /* a slot with a value */
  CUCKOO_STEPS = 128      /* buckets that a put visits at most; src/tables/cuckoo/cuckoo.h has the figures */
};

/* Constant for a compilation; `hashes` on the GPU only. */
struct cuckoo_geometry {
  unsigned slot_bits, bucket_slots, hashes;
};

/* The table as kernels see it, passed by value; the memory is the host's. */
struct cuckoo {
  unsigned char *slots;
  uint64_t hashes;
  struct quotient quotient; /* divisor: number of buckets */
  struct permutation permutation[CUCKOO_MOST_HASHES];
};

/* A key on its way: that which a call was given, or one that it evicted. */
struct cuckoo_hand {
  uint64_t key, value;
  unsigned hash; /* number of the permutation whose bucket is next */
  unsigned steps;
};

/* The bucket of a key's next permutation, and the key's entry there. */
struct cuckoo_target {
  uint64_t bucket, wanted;
};

/* ---- slots of any width -------------------------------------------------------------------------- */

KERNEL_FN uint64_t cuckoo_bytes(uint64_t slots, unsigned bits) { return slots * (bits / 8); }

/* The entry of slot i. */
KERNEL_FN uint64_t entry_load(const void *slots, uint64_t i, unsigned bits) {
  return bits == CUCKOO_PAIR_BITS ? slot_load(slots, 2 * i, 64) : slot_load(slots, i, bits);
}

KERNEL_FN uint64_t value_load(const void *slots, uint64_t i) { return slot_load(slots, 2 * i + 1, 64); }

/* Writes entry and value where the slot is empty; says whether it was. Here and below the order is relaxed, as for
   other slots: an entry and its value are the whole message, written and taken together. */
KERNEL_FN bool pair_claim(void *slots, uint64_t i, unsigned bits, struct wide pair) {
#ifdef KERNEL_HAS_WIDE
  const struct wide none = {0, 0};
  if (bits == CUCKOO_PAIR_BITS)
    return wide_swap(slots, i, none, pair).low == 0;
#endif
  return slot_claim(slots, i, bits, pair.low) == 0;
}

/* Puts the pair in the place of another one. */
KERNEL_FN struct wide pair_exchange(void *slots, uint64_t i, unsigned bits, struct wide pair) {
#ifdef KERNEL_HAS_WIDE
  if (bits == CUCKOO_PAIR_BITS)
    return multiword_exchange(slots, i, pair);
#endif
  pair.low = slot_exchange(slots, i, bits, pair.low);
  pair.high = 0;
  return pair;
}

/* ---- keys and entries ---------------------------------------------------------------------------- */

/* The largest remainder that an entry of `bits` bits holds, for H permutations: (r + 1) * H <= 2^bits - 1. */
KERNEL_FN uint64_t cuckoo_largest(unsigned bits, unsigned hashes) {
  return (UINT64_MAX >> (bits < 64 ? 64 - bits : 0)) / hashes - 1;
}

KERNEL_FN uint64_t cuckoo_encode(uint64_t remainder, unsigned hash, unsigned hashes) {
  return remainder * hashes + hash + 1;
}
KERNEL_FN uint64_t cuckoo_remainder(uint64_t entry, unsigned hashes) { return (entry - 1) / hashes; }
KERNEL_FN unsigned cuckoo_hash(uint64_t entry, unsigned hashes) { return (unsigned)((entry - 1) % hashes); }

/* Another text may know more of the permutations (gpu/kernel/table/cuckoo_arrays.h). */
#ifndef CUCKOO_APPLY
#define CUCKOO_APPLY(permutations, hash, key) permutation_apply(&(permutations)[hash], key)
#define CUCKOO_INVERT(permutations, hash, permuted) permutation_invert(&(permutations)[hash], permuted)
#endif

KERNEL_FN struct cuckoo_target cuckoo_aim(const struct cuckoo *table, uint64_t key, unsigned hash,
                                          struct cuckoo_geometry g) {
  const struct place place = quotient_split(table->quotient, CUCKOO_APPLY(table->permutation, hash, key));
  struct cuckoo_target target;
  target.bucket = place.address;
  target.wanted = cuckoo_encode(place.remainder, hash, g.hashes);
  return target;
}

KERNEL_FN unsigned char *cuckoo_bucket(const struct cuckoo *table, uint64_t bucket, struct cuckoo_geometry g) {
  return table->slots + bucket * cuckoo_bytes(g.bucket_slots, g.slot_bits);
}

KERNEL_FN uint64_t cuckoo_key(const struct cuckoo *table, uint64_t bucket, uint64_t entry, struct cuckoo_geometry g) {
  const uint64_t permuted = quotient_join(table->quotient, bucket, cuckoo_remainder(entry, g.hashes));
  return CUCKOO_INVERT(table->permutation, cuckoo_hash(entry, g.hashes), permuted);
}

/* ---- steps ----------------------------------------------------------------------------------------- */

/* Which slot of a full bucket is evicted: another one for another key and for another step of the same chain, so that
   chains do not go round. */
KERNEL_FN unsigned cuckoo_victim(struct cuckoo_target target, unsigned steps, unsigned slots) {
  uint64_t mix = (target.wanted + target.bucket + steps) * UINT64_C(0x9e3779b97f4a7c15);
  return (unsigned)(mix >> 40) & (slots - 1);
}

/* On to the next bucket of the key in the hand. */
KERNEL_FN void cuckoo_advance(struct cuckoo_hand *hand, unsigned hashes) {
  hand->hash = hand->hash + 1 == hashes ? 0 : hand->hash + 1;
  hand->steps++;
}

/* The hand's key takes the place of another one, which is in the hand then. The bucket is full. */
KERNEL_FN void cuckoo_evict(const struct cuckoo *table, struct cuckoo_hand *hand, struct cuckoo_target target,
                            struct cuckoo_geometry g) {
  const unsigned victim = cuckoo_victim(target, hand->steps, g.bucket_slots);
  struct wide pair;
  pair.low = target.wanted;
  pair.high = hand->value;
  pair = pair_exchange(cuckoo_bucket(table, target.bucket, g), victim, g.slot_bits, pair);
  hand->key = cuckoo_key(table, target.bucket, pair.low, g);
  hand->value = pair.high;
  hand->hash = cuckoo_hash(pair.low, g.hashes);
  cuckoo_advance(hand, g.hashes);
}

/* After a look at the hand's bucket: bit i of `empty` says that slot i was perhaps not full; all others were.
   CUCKOO_PUT; CUCKOO_FULL: no place, the key in the hand is to be given back; CUCKOO_GO_ON. */
KERNEL_FN unsigned cuckoo_flush(const struct cuckoo *table, struct cuckoo_hand *hand, struct cuckoo_target target,
                                 uint32_t empty, struct cuckoo_geometry g) {
  struct wide pair;
  pair.low = target.wanted;
  pair.high = hand->value;
  for (; empty; empty &= empty - 1)
    if (pair_claim(cuckoo_bucket(table, target.bucket, g), lowest_bit(empty), g.slot_bits, pair))
      return CUCKOO_PUT;
  if (hand->steps + 1 >= CUCKOO_STEPS)
    return CUCKOO_FULL;
  cuckoo_evict(table, hand, target, g);
  return CUCKOO_GO_ON;
}

/* A find's look did not meet the key: with an empty slot in the bucket, or after the last bucket, it is absent. */
KERNEL_FN unsigned cuckoo_missed(struct cuckoo_hand *hand, bool has_empty, struct cuckoo_geometry g) {
  if (has_empty || hand->hash + 1 == g.hashes)
    return CUCKOO_FULL;
  cuckoo_advance(hand, g.hashes);
  return CUCKOO_GO_ON;
}

#endif
