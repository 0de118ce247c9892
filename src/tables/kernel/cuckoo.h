/* Compact cuckoo hashing (section 4.4 of the paper): put with eviction, and find, one step of one key at a time.

   A key has H buckets, one for each of H permutations. A slot holds the key's remainder in the bucket and the number
   j of the permutation that placed it, as remainder * H + j + 1. 0 is an empty slot, so no bit marks occupied slots.
   Maps have slots of 128 bits: that entry in one 64-bit word and the value in the next. Both move together.

   Invariant: if a key is in the bucket of its permutation j, its buckets of all permutations i < j were full before
   it was placed there. A slot is never emptied: it is written once when empty, and afterwards only exchanged for the
   entry of another key. So a full bucket stays full, also if a put ends without a place. So a find may stop at the
   first bucket with an empty slot. A key evicted from its bucket j continues with bucket j + 1, because bucket j is
   full. After the last bucket it continues with bucket 0, for which the invariant requires nothing.

   A put has one key "in hand": first the given key, then each key that it evicts. Concurrent puts are allowed if
   their keys are all different and not in the table. An eviction is one atomic exchange, so every key is at any time
   either in one slot or in the hand of one put. For the same reason find and find-or-put must not run concurrently
   with puts: a key in hand is in no slot. There is no deletion: an emptied slot would end the search for keys that
   are in a later bucket because it was full.

   Departures from Algorithm 4 of the paper: after a failed compare-and-swap the next slot that was read as empty is
   tried without reading the bucket again. The last step of a chain evicts no key. The key in hand at that time is
   returned, so that no key is lost. */
#ifndef FLOE_TABLES_KERNEL_CUCKOO_H
#define FLOE_TABLES_KERNEL_CUCKOO_H

#include "tables/kernel/permutation.h"
#include "tables/kernel/quotient.h"

enum cuckoo_answer { CUCKOO_FOUND, CUCKOO_PUT, CUCKOO_FULL, CUCKOO_GO_ON };
enum {
  CUCKOO_MOST_HASHES = 8,
  CUCKOO_PAIR_BITS = 128, /* a slot with a value */
  CUCKOO_STEPS = 128      /* most buckets that a put visits; figures in src/tables/cuckoo/cuckoo.h */
};

/* Compile-time constants; `hashes` on the GPU only. */
struct cuckoo_geometry {
  unsigned slot_bits, bucket_slots, hashes;
};

/* The table as kernels get it, passed by value. The host owns the memory. */
struct cuckoo {
  unsigned char *slots;
  uint64_t hashes;
  struct quotient quotient; /* divisor: number of buckets */
  struct permutation permutation[CUCKOO_MOST_HASHES];
};

/* A key in hand: the key given to the call, or one that it evicted. */
struct cuckoo_hand {
  uint64_t key, value;
  unsigned hash; /* permutation that gives the next bucket */
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

/* Writes entry and value if the slot is empty; returns whether it was. Relaxed order here and below, as for other
   slots: entry and value are all that is published, and they are written and read together. */
KERNEL_FN bool pair_claim(void *slots, uint64_t i, unsigned bits, struct slot128 pair) {
#ifdef KERNEL_HAS_SLOT128
  const struct slot128 none = {0, 0};
  if (bits == CUCKOO_PAIR_BITS)
    return slot128_swap(slots, i, none, pair).low == 0;
#endif
  return slot_claim(slots, i, bits, pair.low) == 0;
}

/* Exchanges the pair in the slot for another; returns the old one. */
KERNEL_FN struct slot128 pair_exchange(void *slots, uint64_t i, unsigned bits, struct slot128 pair) {
#ifdef KERNEL_HAS_SLOT128
  if (bits == CUCKOO_PAIR_BITS)
    return slot128_exchange(slots, i, pair);
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

/* Another machine may define these itself (gpu/kernel/table/cuckoo_arrays.h). */
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

/* Slot of a full bucket to evict. It differs between keys and between steps of a chain, so that chains do not cycle. */
KERNEL_FN unsigned cuckoo_victim(struct cuckoo_target target, unsigned steps, unsigned slots) {
  uint64_t mix = (target.wanted + target.bucket + steps) * UINT64_C(0x9e3779b97f4a7c15);
  return (unsigned)(mix >> 40) & (slots - 1);
}

/* Continues with the next bucket of the key in hand. */
KERNEL_FN void cuckoo_advance(struct cuckoo_hand *hand, unsigned hashes) {
  hand->hash = hand->hash + 1 == hashes ? 0 : hand->hash + 1;
  hand->steps++;
}

/* Swaps the key in hand with one of the bucket, which is full. The evicted key is in hand afterwards. */
KERNEL_FN void cuckoo_evict(const struct cuckoo *table, struct cuckoo_hand *hand, struct cuckoo_target target,
                            struct cuckoo_geometry g) {
  const unsigned victim = cuckoo_victim(target, hand->steps, g.bucket_slots);
  struct slot128 pair;
  pair.low = target.wanted;
  pair.high = hand->value;
  pair = pair_exchange(cuckoo_bucket(table, target.bucket, g), victim, g.slot_bits, pair);
  hand->key = cuckoo_key(table, target.bucket, pair.low, g);
  hand->value = pair.high;
  hand->hash = cuckoo_hash(pair.low, g.hashes);
  cuckoo_advance(hand, g.hashes);
}

/* Tries to place the key in hand after a scan of its bucket. Bit i of `empty`: slot i may be empty; all other slots
   were full. CUCKOO_PUT; CUCKOO_FULL: no place, the caller returns the key in hand; CUCKOO_GO_ON: next bucket. */
KERNEL_FN unsigned cuckoo_flush(const struct cuckoo *table, struct cuckoo_hand *hand, struct cuckoo_target target,
                                uint32_t empty, struct cuckoo_geometry g) {
  struct slot128 pair;
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

/* After a scan for a find without a match: the key is absent if the bucket has an empty slot or is the last one. */
KERNEL_FN unsigned cuckoo_missed(struct cuckoo_hand *hand, bool has_empty, struct cuckoo_geometry g) {
  if (has_empty || hand->hash + 1 == g.hashes)
    return CUCKOO_FULL;
  cuckoo_advance(hand, g.hashes);
  return CUCKOO_GO_ON;
}

#endif
