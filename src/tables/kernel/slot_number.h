/* Where a key is: the operations that need the number of its slot, which is the key's for as long as it is in the table
   (the table is stable), and deletion. Slots are numbered through level 1, level 2, level 3 and the slots of the last
   keys; the array of values has the same order.

   Deletion writes a tombstone over the key: a value that is full and different from every key. A slot so goes from
   empty to a key to a tombstone, and never back. What the scheme needs still holds, with lemma 2 of the paper ("full
   slots do not change") weakened to

     a slot that was seen full and different from a key is full and different from it ever after,

   as a full slot only turns into a tombstone:
   - Puts keep the order property: what they saw of the earlier slots still holds when they claim theirs. Deletion keeps
     it: the slot stays full, and the keys behind it still have it before them, full and different. So every key is
     in the table at most once (lemma 1), at any time.
   - PUT and the deletion take effect at their compare-and-swap, FOUND at the load that saw the key. A key that is
     not found: let e be the slot seen empty, or the end of the order where none was. Had the key been in the table when
   e was read, then before e (order property); that slot was read as different from the key, so the key was deleted from
   it in between, and just after that it was not in the table. Every answer is so that of a moment during the call,
   whatever other threads put, find and delete meanwhile. Of several that delete a key once put, one gets FOUND.
   - A call still ends: each slot changes twice at most.

   A tombstone is not used again while the table is in use. Suppose a put of key k reused tombstone s: another put of k
   may have seen s as full and different before, and put k in a later slot of its order, so that k would be there twice.
   That all copies of the key are seen and none comes is certain only when nothing else is done to the table, and then
   moving its keys to another table (table_rehash) is the better way: it drops tombstones and shortens all orders. */
#ifndef FLOE_KERNEL_SEAT_H
#define FLOE_KERNEL_SEAT_H

#include "tables/kernel/iceberg.h"

/* answer: as of the levels (tables/kernel/iceberg.h); slot: of a key FOUND or PUT. */
struct seat {
  unsigned answer;
  uint64_t slot;
};

#define NO_SLOT UINT64_MAX

KERNEL_FN struct seat seat_make(unsigned answer, uint64_t slot) {
  struct seat seat;
  seat.answer = answer;
  seat.slot = slot;
  return seat;
}

/* The numbers of the first slots of level 2, of level 3, and of the last keys. */
KERNEL_FN uint64_t second_begin(const struct iceberg *table, struct geometry g) {
  return table->first_quotient.divisor * g.bucket_slots;
}
KERNEL_FN uint64_t third_begin(const struct iceberg *table, struct geometry g) {
  return second_begin(table, g) + table->second_quotient.divisor * g.second_bucket_slots;
}
KERNEL_FN uint64_t last_begin(const struct iceberg *table, struct geometry g) {
  return third_begin(table, g) + table->third_buckets * THIRD_BUCKET_SLOTS;
}

/* The number within its level of a bucket's first slot. */
KERNEL_FN uint64_t bucket_begin(const void *level, const void *bucket, unsigned slots, unsigned bits) {
  return (uint64_t)((const unsigned char *)bucket - (const unsigned char *)level) / slot_bytes(slots, bits) * slots;
}

/* Slot i of the key's order, all before it having been passed. FULL: on to the next one. */
KERNEL_FN unsigned slot_answer(struct target target, unsigned i, unsigned bits, bool put) {
  uint64_t seen = slot_load(target.bucket, i, bits);
  if (seen == 0 && put)
    seen = slot_claim(target.bucket, i, bits, target.wanted);
  return seen == 0 ? ICEBERG_PUT : seen == target.wanted ? ICEBERG_FOUND : ICEBERG_FULL;
}

/* `at`: slots before it have been passed. */
KERNEL_FN struct seat bucket_seat(struct target target, unsigned at, unsigned slots, unsigned bits, bool put) {
  for (unsigned i = at; i < slots; i++) {
    const unsigned answer = slot_answer(target, i, bits, put);
    if (answer != ICEBERG_FULL)
      return seat_make(answer, i);
  }
  return seat_make(ICEBERG_FULL, 0);
}

/* The first slot that a scan did not pass. A key that was seen in a slot, but for packed ones the lowest of the mask,
   had at that time all earlier slots passed, whatever an earlier load saw of them. */
KERNEL_FN unsigned first_open(struct scan scan, unsigned slots, unsigned bits) {
  if (scan.match)
    return bits == PACKED_BITS ? 0 : lowest_bit(scan.match);
  return scan.empty ? lowest_bit(scan.empty) : slots;
}

KERNEL_FN struct seat first_seat(const struct iceberg *table, struct target target, struct geometry g, bool put) {
  const struct scan scan = scan_bucket(target.bucket, g.bucket_slots, g.slot_bits, target.wanted);
  struct seat seat =
      bucket_seat(target, first_open(scan, g.bucket_slots, g.slot_bits), g.bucket_slots, g.slot_bits, put);
  seat.slot += bucket_begin(table->first, target.bucket, g.bucket_slots, g.slot_bits);
  return seat;
}

/* Slot by slot, bucket 2 before bucket 1. */
KERNEL_FN struct seat second_seat(const struct iceberg *table, struct target one, struct target two, struct geometry g,
                                  bool put) {
  const unsigned slots = g.second_bucket_slots, bits = g.second_slot_bits;
  for (unsigned i = 0; i < 2 * slots; i++) {
    const struct target target = i & 1 ? one : two;
    const unsigned answer = slot_answer(target, i / 2, bits, put);
    if (answer != ICEBERG_FULL)
      return seat_make(answer,
                       second_begin(table, g) + i / 2 + bucket_begin(table->second, target.bucket, slots, bits));
  }
  return seat_make(ICEBERG_FULL, 0);
}

KERNEL_FN struct seat third_seat(const struct iceberg *table, uint64_t key, uint64_t home, struct geometry g,
                                 bool put) {
  struct target target;
  if (is_last_key(table, key))
    return seat_make(last_key_answer(table, key, put), last_begin(table, g) + ~key);
  target.wanted = third_encode(key);
  for (uint64_t n = third_probes(table); n; n--) {
    target.bucket = table->third + home * THIRD_BUCKET_SLOTS;
    struct seat seat = bucket_seat(target, 0, THIRD_BUCKET_SLOTS, THIRD_SLOT_BITS, put);
    if (seat.answer != ICEBERG_FULL) {
      seat.slot += third_begin(table, g) + home * THIRD_BUCKET_SLOTS;
      return seat;
    }
    home = home + 1 < table->third_buckets ? home + 1 : 0;
  }
  return seat_make(ICEBERG_FULL, 0);
}

/* Levels 2 and 3. */
KERNEL_FN struct seat later_seat(const struct iceberg *table, uint64_t key, uint64_t permuted1, uint64_t permuted2,
                                 struct geometry g, bool put) {
  const struct seat seat =
      second_seat(table, second_target(table, permuted1, 0, g), second_target(table, permuted2, 1, g), g, put);
  if (seat.answer != ICEBERG_FULL)
    return seat;
  return third_seat(table, key, third_home(table, permuted1, permuted2), g, put);
}

/* The slot of a number: its level, and where it is there. */
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

/* Deletes the key that was seen in the slot; false: another thread did. */
KERNEL_FN bool seat_delete(const struct iceberg *table, uint64_t slot, struct geometry g) {
  const struct position at = slot_position(table, slot, g);
  const uint64_t tombstone = slot_tombstone(at.bits), key = slot_load(at.level, at.i, at.bits);
  return key != tombstone && slot_swap(at.level, at.i, at.bits, key, tombstone) == key;
}

#endif
