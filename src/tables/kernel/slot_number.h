/* Slot numbers of keys, for the operations that need them (values, stable numbers), and deletion. The table is
   stable: a key keeps its slot, and so its number, as long as it is in the table. Slots are numbered through level
   1, level 2, level 3 and the slots of the last keys. The array of values has the same order.

   Deletion writes a tombstone over the key: a value that is full and different from every key. So a slot changes
   from empty to a key to a tombstone, and never back. The scheme needs lemma 2 of the paper ("full slots do not
   change") only in this weaker form:

     a slot that was read as full and different from a key stays full and different from it,

   because a full slot only changes into a tombstone:

   - Puts keep the order property: the earlier slots that a put has read as full and different are so when it claims
     its slot. Deletion keeps the order property: the slot stays full, and for the keys behind it it stays full and
     different. So every key is in the table at most once (lemma 1), at any time.
   - PUT and the deletion take effect at their compare-and-swap, FOUND at the load that read the key. A key that is
     not found: let e be the slot that was read as empty, or the end of the probe order if there was none. If the key
     was not in the table when e was read, that is the time of the answer. Else it was in a slot before e (order
     property). The call read that slot as different from the key, so the key was deleted from it in between, and just
     after the deletion it was not in the table. So every answer is true at some time during the
     call, whatever other threads put, find and delete. If several threads delete a key that was put once, exactly one
     gets FOUND.
   - A call ends: each slot changes at most twice.

   A tombstone is not reused while the table is in use. Suppose a put of key k reused tombstone s. Another put of k
   may have read s as full and different before, and may put k in a later slot of its order: k would be in the table
   twice. Only an idle table excludes such copies. Then moving the keys to another table (table_rehash) is better: it
   drops tombstones and shortens all searches. */
#ifndef FLOE_TABLES_KERNEL_SLOT_NUMBER_H
#define FLOE_TABLES_KERNEL_SLOT_NUMBER_H

#include "tables/kernel/iceberg.h"

/* answer: of the levels (tables/kernel/iceberg.h); slot: slot number of a key FOUND or PUT. */
struct placement {
  unsigned answer;
  uint64_t slot;
};

#define NO_SLOT UINT64_MAX

KERNEL_FN struct placement placement_make(unsigned answer, uint64_t slot) {
  struct placement placement;
  placement.answer = answer;
  placement.slot = slot;
  return placement;
}

/* Numbers of the first slots of level 2, of level 3, and of the last keys. */
KERNEL_FN uint64_t second_begin(const struct iceberg *table, struct geometry g) {
  return table->first_quotient.divisor * g.bucket_slots;
}
KERNEL_FN uint64_t third_begin(const struct iceberg *table, struct geometry g) {
  return second_begin(table, g) + table->second_quotient.divisor * g.second_bucket_slots;
}
KERNEL_FN uint64_t last_begin(const struct iceberg *table, struct geometry g) {
  return third_begin(table, g) + table->third_buckets * THIRD_BUCKET_SLOTS;
}

/* Number, within its level, of a bucket's first slot. */
KERNEL_FN uint64_t bucket_begin(const void *level, const void *bucket, unsigned slots, unsigned bits) {
  return (uint64_t)((const unsigned char *)bucket - (const unsigned char *)level) / slot_bytes(slots, bits) * slots;
}

/* Answer for slot i of the key's order, after all earlier slots were passed. FULL: continue with the next slot. */
KERNEL_FN unsigned slot_answer(struct target target, unsigned i, unsigned bits, bool put) {
  uint64_t seen = slot_load(target.bucket, i, bits);
  if (seen == 0 && put)
    seen = slot_claim(target.bucket, i, bits, target.wanted);
  return seen == 0 ? ICEBERG_PUT : seen == target.wanted ? ICEBERG_FOUND : ICEBERG_FULL;
}

/* Searches from slot `at` on; earlier slots have been passed. */
KERNEL_FN struct placement bucket_placement(struct target target, unsigned at, unsigned slots, unsigned bits,
                                            bool put) {
  for (unsigned i = at; i < slots; i++) {
    const unsigned answer = slot_answer(target, i, bits, put);
    if (answer != ICEBERG_FULL)
      return placement_make(answer, i);
  }
  return placement_make(ICEBERG_FULL, 0);
}

/* First slot that a scan did not pass. For slots that are not packed, the lowest match in the mask: when the key was
   read there, all earlier slots counted as passed, whatever an earlier load returned for them. */
KERNEL_FN unsigned first_open(struct scan scan, unsigned slots, unsigned bits) {
  if (scan.match)
    return bits == PACKED_BITS ? 0 : lowest_bit(scan.match);
  return scan.empty ? lowest_bit(scan.empty) : slots;
}

KERNEL_FN struct placement first_placement(const struct iceberg *table, struct target target, struct geometry g,
                                           bool put) {
  const struct scan scan = scan_bucket(target.bucket, g.bucket_slots, g.slot_bits, target.wanted);
  struct placement placement =
      bucket_placement(target, first_open(scan, g.bucket_slots, g.slot_bits), g.bucket_slots, g.slot_bits, put);
  placement.slot += bucket_begin(table->first, target.bucket, g.bucket_slots, g.slot_bits);
  return placement;
}

/* Slot by slot, bucket 2 before bucket 1. */
KERNEL_FN struct placement second_placement(const struct iceberg *table, struct target one, struct target two,
                                            struct geometry g, bool put) {
  const unsigned slots = g.second_bucket_slots, bits = g.second_slot_bits;
  for (unsigned i = 0; i < 2 * slots; i++) {
    const struct target target = i & 1 ? one : two;
    const unsigned answer = slot_answer(target, i / 2, bits, put);
    if (answer != ICEBERG_FULL)
      return placement_make(answer,
                            second_begin(table, g) + i / 2 + bucket_begin(table->second, target.bucket, slots, bits));
  }
  return placement_make(ICEBERG_FULL, 0);
}

KERNEL_FN struct placement third_placement(const struct iceberg *table, uint64_t key, uint64_t home, struct geometry g,
                                           bool put) {
  struct target target;
  if (is_last_key(table, key))
    return placement_make(last_key_answer(table, key, put), last_begin(table, g) + ~key);
  target.wanted = third_encode(key);
  for (uint64_t n = third_probes(table); n; n--) {
    target.bucket = table->third + home * THIRD_BUCKET_SLOTS;
    struct placement placement = bucket_placement(target, 0, THIRD_BUCKET_SLOTS, THIRD_SLOT_BITS, put);
    if (placement.answer != ICEBERG_FULL) {
      placement.slot += third_begin(table, g) + home * THIRD_BUCKET_SLOTS;
      return placement;
    }
    home = home + 1 < table->third_buckets ? home + 1 : 0;
  }
  return placement_make(ICEBERG_FULL, 0);
}

/* Levels 2 and 3. */
KERNEL_FN struct placement later_placement(const struct iceberg *table, uint64_t key, uint64_t permuted1,
                                           uint64_t permuted2, struct geometry g, bool put) {
  const struct placement placement =
      second_placement(table, second_target(table, permuted1, 0, g), second_target(table, permuted2, 1, g), g, put);
  if (placement.answer != ICEBERG_FULL)
    return placement;
  return third_placement(table, key, third_home(table, permuted1, permuted2), g, put);
}

/* Position of a slot by its number: level, and index there. */
struct position {
  void *level;
  uint64_t i;
  unsigned bits;
};

KERNEL_FN struct position slot_position(const struct iceberg *table, uint64_t slot, struct geometry g) {
  struct position at;
  if (slot < second_begin(table, g)) {
    at.level = table->first;
    at.i = slot;
    at.bits = g.slot_bits;
  } else if (slot < third_begin(table, g)) {
    at.level = table->second;
    at.i = slot - second_begin(table, g);
    at.bits = g.second_slot_bits;
  } else {
    const bool last = slot >= last_begin(table, g);
    at.level = last ? table->last_key : table->third;
    at.i = slot - (last ? last_begin(table, g) : third_begin(table, g));
    at.bits = THIRD_SLOT_BITS;
  }
  return at;
}

/* Deletes the key that was read in the slot; false: another thread deleted it first. */
KERNEL_FN bool placement_delete(const struct iceberg *table, uint64_t slot, struct geometry g) {
  const struct position at = slot_position(table, slot, g);
  const uint64_t tombstone = slot_tombstone(at.bits), key = slot_load(at.level, at.i, at.bits);
  return key != tombstone && slot_swap(at.level, at.i, at.bits, key, tombstone) == key;
}

#endif
