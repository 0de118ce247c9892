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

#include "table/kernel/permutation.h"
#include "table/kernel/quotient.h"

enum cuckoo_answer { CUCKOO_FOUND, CUCKOO_PUT, CUCKOO_FULL, CUCKOO_GO_ON };
enum {
  CUCKOO_MOST_HASHES = 8,
  CUCKOO_PAIR_BITS = 128, /* a slot with a value */
  CUCKOO_STEPS = 128      /* buckets that a put visits at most; src/table/cuckoo.h has the figures */
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

struct cuckoo_pair {
  uint64_t entry, value;
};

/* ---- slots of 128 bits ---------------------------------------------------------------------------
   All orders are relaxed, as for other slots: an entry and its value are the whole message, and they are written and
   taken together. */

#ifdef __CUDACC__
/* Compute capability 9.0 and later. */
KERNEL_FN struct cuckoo_pair pair_swap_if(void *slot, struct cuckoo_pair seen, struct cuckoo_pair pair) {
  struct cuckoo_pair before;
  asm volatile("{\n\t.reg .b128 before, seen, pair;\n\t"
               "mov.b128 seen, {%3, %4};\n\t"
               "mov.b128 pair, {%5, %6};\n\t"
               "atom.relaxed.gpu.global.cas.b128 before, [%2], seen, pair;\n\t"
               "mov.b128 {%0, %1}, before;\n\t}"
               : "=l"(before.entry), "=l"(before.value)
               : "l"(__cvta_generic_to_global(slot)), "l"(seen.entry), "l"(seen.value),
                 "l"(pair.entry), "l"(pair.value)
               : "memory");
  return before;
}

KERNEL_FN struct cuckoo_pair pair_exchange(void *slot, struct cuckoo_pair pair) {
  struct cuckoo_pair before;
  asm volatile("{\n\t.reg .b128 before, pair;\n\t"
               "mov.b128 pair, {%3, %4};\n\t"
               "atom.relaxed.gpu.global.exch.b128 before, [%2], pair;\n\t"
               "mov.b128 {%0, %1}, before;\n\t}"
               : "=l"(before.entry), "=l"(before.value)
               : "l"(__cvta_generic_to_global(slot)), "l"(pair.entry), "l"(pair.value)
               : "memory");
  return before;
}

KERNEL_FN uint64_t entry_exchange(void *slots, uint64_t i, unsigned bits, uint64_t entry) {
  if (bits == 32)
    return atomicExch((uint32_t *)slots + i, (uint32_t)entry);
  return atomicExch((uint64_t *)slots + i, entry);
}
#else
#if defined(__x86_64__) || defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16)
#define CUCKOO_HAS_PAIRS 1
#ifdef __x86_64__
#define CUCKOO_PAIR_FN static __attribute__((noinline, unused, target("cx16")))
#else
#define CUCKOO_PAIR_FN static __attribute__((noinline, unused))
#endif
/* Processors have no weaker one. */
CUCKOO_PAIR_FN struct cuckoo_pair pair_swap_if(void *slot, struct cuckoo_pair seen,
                                               struct cuckoo_pair pair) {
  const unsigned __int128 before = __sync_val_compare_and_swap(
      (unsigned __int128 *)slot, (unsigned __int128)seen.value << 64 | seen.entry,
      (unsigned __int128)pair.value << 64 | pair.entry);
  const struct cuckoo_pair result = {(uint64_t)before, (uint64_t)(before >> 64)};
  return result;
}
#else
#define CUCKOO_HAS_PAIRS 0
/* No table has such slots (table_cannot). */
KERNEL_FN struct cuckoo_pair pair_swap_if(void *slot, struct cuckoo_pair seen, struct cuckoo_pair pair) {
  (void)slot, (void)seen;
  return pair;
}
#endif

/* A full slot, which others may exchange meanwhile. */
KERNEL_FN struct cuckoo_pair pair_exchange(void *slot, struct cuckoo_pair pair) {
  struct cuckoo_pair seen = {slot_load(slot, 0, 64), slot_load(slot, 1, 64)};
  for (;;) {
    const struct cuckoo_pair before = pair_swap_if(slot, seen, pair);
    if (before.entry == seen.entry && before.value == seen.value)
      return before;
    seen = before;
  }
}

KERNEL_FN uint64_t entry_exchange(void *slots, uint64_t i, unsigned bits, uint64_t entry) {
  if (bits == 32)
    return __atomic_exchange_n((uint32_t *)slots + i, (uint32_t)entry, __ATOMIC_RELAXED);
  return __atomic_exchange_n((uint64_t *)slots + i, entry, __ATOMIC_RELAXED);
}
#endif

/* ---- slots of any width -------------------------------------------------------------------------- */

KERNEL_FN uint64_t cuckoo_bytes(uint64_t slots, unsigned bits) { return slots * (bits / 8); }

/* The entry of slot i. */
KERNEL_FN uint64_t entry_load(const void *slots, uint64_t i, unsigned bits) {
  return bits == CUCKOO_PAIR_BITS ? slot_load(slots, 2 * i, 64) : slot_load(slots, i, bits);
}

KERNEL_FN uint64_t value_load(const void *slots, uint64_t i) { return slot_load(slots, 2 * i + 1, 64); }

/* Writes the pair where the slot is empty; says whether it was. */
KERNEL_FN bool pair_claim(void *slots, uint64_t i, unsigned bits, struct cuckoo_pair pair) {
  const struct cuckoo_pair none = {0, 0};
  if (bits == CUCKOO_PAIR_BITS)
    return pair_swap_if((unsigned char *)slots + 16 * i, none, pair).entry == 0;
  return slot_claim(slots, i, bits, pair.entry) == 0;
}

/* Puts the pair in the place of another one. */
KERNEL_FN struct cuckoo_pair pair_replace(void *slots, uint64_t i, unsigned bits,
                                          struct cuckoo_pair pair) {
  if (bits == CUCKOO_PAIR_BITS)
    return pair_exchange((unsigned char *)slots + 16 * i, pair);
  pair.entry = entry_exchange(slots, i, bits, pair.entry);
  pair.value = 0;
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
KERNEL_FN unsigned cuckoo_hash(uint64_t entry, unsigned hashes) {
  return (unsigned)((entry - 1) % hashes);
}

/* Another text may know more of the permutations (gpu/kernel/cuckoo_arrays.h). */
#ifndef CUCKOO_APPLY
#define CUCKOO_APPLY(permutations, hash, key) permutation_apply(&(permutations)[hash], key)
#define CUCKOO_INVERT(permutations, hash, permuted) permutation_invert(&(permutations)[hash], permuted)
#endif

KERNEL_FN struct cuckoo_target cuckoo_aim(const struct cuckoo *table, uint64_t key, unsigned hash,
                                          struct cuckoo_geometry g) {
  const struct place place =
      quotient_split(table->quotient, CUCKOO_APPLY(table->permutation, hash, key));
  struct cuckoo_target target;
  target.bucket = place.address;
  target.wanted = cuckoo_encode(place.remainder, hash, g.hashes);
  return target;
}

KERNEL_FN unsigned char *cuckoo_bucket(const struct cuckoo *table, uint64_t bucket,
                                       struct cuckoo_geometry g) {
  return table->slots + bucket * cuckoo_bytes(g.bucket_slots, g.slot_bits);
}

KERNEL_FN uint64_t cuckoo_key(const struct cuckoo *table, uint64_t bucket, uint64_t entry,
                              struct cuckoo_geometry g) {
  const uint64_t permuted =
      quotient_join(table->quotient, bucket, cuckoo_remainder(entry, g.hashes));
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
KERNEL_FN void cuckoo_evict(const struct cuckoo *table, struct cuckoo_hand *hand,
                            struct cuckoo_target target, struct cuckoo_geometry g) {
  const unsigned victim = cuckoo_victim(target, hand->steps, g.bucket_slots);
  struct cuckoo_pair pair;
  pair.entry = target.wanted;
  pair.value = hand->value;
  pair = pair_replace(cuckoo_bucket(table, target.bucket, g), victim, g.slot_bits, pair);
  hand->key = cuckoo_key(table, target.bucket, pair.entry, g);
  hand->value = pair.value;
  hand->hash = cuckoo_hash(pair.entry, g.hashes);
  cuckoo_advance(hand, g.hashes);
}

/* After a look at the hand's bucket: bit i of `empty` says that slot i was perhaps not full; all others were.
   CUCKOO_PUT; CUCKOO_FULL: no place, the key in the hand is to be given back; CUCKOO_GO_ON. */
KERNEL_FN unsigned cuckoo_settle(const struct cuckoo *table, struct cuckoo_hand *hand,
                                 struct cuckoo_target target, uint32_t empty,
                                 struct cuckoo_geometry g) {
  struct cuckoo_pair pair;
  pair.entry = target.wanted;
  pair.value = hand->value;
  for (; empty; empty &= empty - 1)
    if (pair_claim(cuckoo_bucket(table, target.bucket, g), lowest_bit(empty), g.slot_bits, pair))
      return CUCKOO_PUT;
  if (hand->steps + 1 >= CUCKOO_STEPS)
    return CUCKOO_FULL;
  cuckoo_evict(table, hand, target, g);
  return CUCKOO_GO_ON;
}

/* A find's look did not meet the key: with an empty slot in the bucket, or after the last bucket, it is absent. */
KERNEL_FN unsigned cuckoo_missed(struct cuckoo_hand *hand, bool has_empty,
                                 struct cuckoo_geometry g) {
  if (has_empty || hand->hash + 1 == g.hashes)
    return CUCKOO_FULL;
  cuckoo_advance(hand, g.hashes);
  return CUCKOO_GO_ON;
}

#endif
