/* Compact iceberg hashing: find-or-put after Algorithm 1 of the paper, for one key and for a batch.

   A key's slots have a probe order (definition 1 of the paper): the slots of its primary bucket; then those of its
   two secondary buckets by slot number, bucket 2 before bucket 1 at the same number; then, in this implementation,
   those of level 3 along its probe sequence. The invariant is the order property: a key is put only after every
   earlier slot of its order was read as full and different from it. Full slots never change (except by deletion, see
   tables/kernel/slot_number.h), so every key is in the table at most once (lemma 1).

   Departures from the paper:

   - The slot to try is the first one read as empty, never the one whose index is the number of full slots. A scan is
     not one snapshot: that index can skip a slot that was read as empty and holds the key by now.
   - A failed compare-and-swap returns the slot's content. It is compared with the key; then the next slot that was
     read as empty is tried, without reading the bucket again (the paper reads it again). So every slot is claimed or
     passed at most once, and the bucket bounds the loops.
   - Level 3 is linear probing by buckets of one cache line with the same rule, bounded by THIRD_PROBES.

   The geometry is a parameter that every caller passes as a constant, so that the compiler specialises the code. */
#ifndef FLOE_TABLES_KERNEL_ICEBERG_H
#define FLOE_TABLES_KERNEL_ICEBERG_H

#include "tables/kernel/permutation.h"
#include "tables/kernel/quotient.h"
#include "tables/kernel/slot.h"

enum iceberg_answer { ICEBERG_FOUND, ICEBERG_PUT, ICEBERG_FULL };
enum { THIRD_BUCKET_SLOTS = 8, THIRD_PROBES = 32 };

struct geometry {
  unsigned slot_bits, bucket_slots, second_slot_bits, second_bucket_slots;
};

/* The table as kernels get it, passed by value. The host owns the memory. */
struct iceberg {
  unsigned char *first, *second;
  uint64_t *third;    /* third_buckets * THIRD_BUCKET_SLOTS slots */
  uint64_t *last_key; /* slot of the key 2^64 - 1 at level 3, then of 2^64 - 2 if tombstones need its encoding */
  uint64_t third_buckets;
  struct quotient first_quotient, second_quotient;
  struct permutation permutation[3]; /* level 1, secondary bucket 1, secondary bucket 2 */
  void *values;                      /* by slot number (tables/kernel/value.h); NULL: none */
  unsigned char *written;            /* by slot number: 1 if the slot has a value; NULL: not recorded */
  uint32_t deletes;                  /* slots may be tombstones (tables/kernel/slot_number.h) */
};

/* A bucket of one key, and the key's encoding there. */
struct target {
  void *bucket;
  uint64_t wanted;
};

KERNEL_FN struct target first_target(const struct iceberg *table, uint64_t permuted, struct geometry g) {
  struct place place = quotient_split(table->first_quotient, permuted);
  struct target target;
  target.bucket = table->first + place.address * slot_bytes(g.bucket_slots, g.slot_bits);
  target.wanted = first_encode(place.remainder);
  return target;
}

KERNEL_FN struct target second_target(const struct iceberg *table, uint64_t permuted, unsigned which,
                                      struct geometry g) {
  struct place place = quotient_split(table->second_quotient, permuted);
  struct target target;
  target.bucket = table->second + place.address * slot_bytes(g.second_bucket_slots, g.second_slot_bits);
  target.wanted = second_encode(place.remainder, which);
  return target;
}

/* Home bucket at level 3. Both secondary permutations contribute, so that keys of one full bucket spread. */
KERNEL_FN uint64_t third_home(const struct iceberg *table, uint64_t permuted1, uint64_t permuted2) {
  uint64_t hash = (permuted1 + (permuted2 << 1 | 1) * UINT64_C(0xd1342543de82ef95)) * UINT64_C(0x9e3779b97f4a7c15);
  return multiply_high(hash, table->third_buckets);
}

/* Mask of slots to try, lowest first. A test of the rule replaces this macro. */
#ifndef ICEBERG_CANDIDATES
#define ICEBERG_CANDIDATES(scan, slots) ((scan).empty)
#endif

/* Each level answers FOUND; PUT (without `put`: there is an empty slot, so the key is absent); or FULL: every slot
   of the level for this key was read as full and different. */

KERNEL_FN unsigned bucket_claim(void *bucket, unsigned bits, uint64_t wanted, uint32_t candidates) {
  for (; candidates; candidates &= candidates - 1) {
    uint64_t seen = slot_claim(bucket, lowest_bit(candidates), bits, wanted);
    if (seen == 0)
      return ICEBERG_PUT;
    if (seen == wanted)
      return ICEBERG_FOUND;
  }
  return ICEBERG_FULL;
}

KERNEL_FN unsigned bucket_answer(struct target target, unsigned slots, unsigned bits, bool put) {
  struct scan scan = scan_bucket(target.bucket, slots, bits, target.wanted);
  if (scan.match)
    return ICEBERG_FOUND;
  if (!put)
    return scan.empty ? ICEBERG_PUT : ICEBERG_FULL;
  return bucket_claim(target.bucket, bits, target.wanted, ICEBERG_CANDIDATES(scan, slots));
}

KERNEL_FN unsigned first_answer(struct target target, struct geometry g, bool put) {
  return bucket_answer(target, g.bucket_slots, g.slot_bits, put);
}

/* Claims slots along the order of the two secondary buckets: bucket 1 only if it is strictly less full. */
KERNEL_FN unsigned second_claim(struct target one, uint32_t empty1, struct target two, uint32_t empty2, unsigned bits,
                                unsigned slots) {
  const uint32_t end = UINT32_C(1) << slots; /* sentinel for lowest_bit */
  while (empty1 | empty2) {
    bool first = lowest_bit(empty1 | end) < lowest_bit(empty2 | end);
    struct target target = first ? one : two;
    unsigned slot = lowest_bit(first ? empty1 : empty2);
    uint64_t seen = slot_claim(target.bucket, slot, bits, target.wanted);
    if (seen == 0)
      return ICEBERG_PUT;
    if (seen == target.wanted)
      return ICEBERG_FOUND;
    if (first)
      empty1 &= empty1 - 1;
    else
      empty2 &= empty2 - 1;
  }
  return ICEBERG_FULL;
}

KERNEL_FN unsigned second_answer(struct target one, struct target two, struct geometry g, bool put) {
  const unsigned slots = g.second_bucket_slots, bits = g.second_slot_bits;
  struct scan scan1 = scan_bucket(one.bucket, slots, bits, one.wanted);
  if (scan1.match)
    return ICEBERG_FOUND;
  struct scan scan2 = scan_bucket(two.bucket, slots, bits, two.wanted);
  if (scan2.match)
    return ICEBERG_FOUND;
  if (!put)
    return scan1.empty | scan2.empty ? ICEBERG_PUT : ICEBERG_FULL;
  return second_claim(one, ICEBERG_CANDIDATES(scan1, slots), two, ICEBERG_CANDIDATES(scan2, slots), bits, slots);
}

/* Keys without an encoding at level 3: 2^64 - 1, and with tombstones 2^64 - 2. Each has slot ~key to itself. */
KERNEL_FN bool is_last_key(const struct iceberg *table, uint64_t key) {
  return ~key == 0 || (~key == 1 && table->deletes);
}

KERNEL_FN unsigned last_key_answer(const struct iceberg *table, uint64_t key, bool put) {
  const uint64_t seen = put ? slot_claim(table->last_key, ~key, THIRD_SLOT_BITS, LAST_KEY_HERE)
                            : slot_load(table->last_key, ~key, THIRD_SLOT_BITS);
  return seen == 0 ? ICEBERG_PUT : seen == LAST_KEY_HERE ? ICEBERG_FOUND : ICEBERG_FULL;
}

KERNEL_FN uint64_t third_probes(const struct iceberg *table) {
  return table->third_buckets < THIRD_PROBES ? table->third_buckets : (uint64_t)THIRD_PROBES;
}

KERNEL_FN unsigned third_answer(const struct iceberg *table, uint64_t key, uint64_t home, bool put) {
  struct target target;
  if (is_last_key(table, key))
    return last_key_answer(table, key, put);
  target.wanted = third_encode(key);
  for (uint64_t n = third_probes(table); n; n--) {
    target.bucket = table->third + home * THIRD_BUCKET_SLOTS;
    unsigned answer = bucket_answer(target, THIRD_BUCKET_SLOTS, THIRD_SLOT_BITS, put);
    if (answer != ICEBERG_FULL)
      return answer;
    home = home + 1 < table->third_buckets ? home + 1 : 0;
  }
  return ICEBERG_FULL;
}

/* One key through all levels. FULL: no slot of its order is free (theorem 1 (e)); without `put`: absent. */
KERNEL_FN unsigned iceberg_answer_one(const struct iceberg *table, uint64_t key, struct geometry g, bool put) {
  uint64_t p0 = permutation_apply(&table->permutation[0], key);
  unsigned answer = first_answer(first_target(table, p0, g), g, put);
  if (answer != ICEBERG_FULL)
    return answer;
  uint64_t p1 = permutation_apply(&table->permutation[1], key);
  uint64_t p2 = permutation_apply(&table->permutation[2], key);
  answer = second_answer(second_target(table, p1, 0, g), second_target(table, p2, 1, g), g, put);
  if (answer != ICEBERG_FULL)
    return answer;
  return third_answer(table, key, third_home(table, p1, p2), put);
}

#endif
