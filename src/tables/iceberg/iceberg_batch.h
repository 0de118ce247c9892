/* Batches on the CPU: many keys go through the levels side by side, so that their cache misses overlap.
   Level 1: whenever a key is answered, the bucket of the key that comes GROUP later is asked for. Keys that meet a full
   primary bucket are set aside; at the end of their group they do level 2 together, in the same way. */
#ifndef FLOE_TABLE_ICEBERG_BATCH_H
#define FLOE_TABLE_ICEBERG_BATCH_H

#include "tables/key_batch.h"
#include "tables/kernel/iceberg.h"
#include "tables/kernel/slot_number.h"

#include <stddef.h>

KERNEL_FN void prefetch_bucket(const void *bucket, unsigned bytes) {
  for (unsigned at = 0; at < bytes; at += LINE)
    KERNEL_PREFETCH((const char *)bucket + at);
}

/* Permutes the next group of keys for level 1; returns how many there are: GROUP but at the end of the batch. */
KERNEL_FN unsigned next_group(const struct iceberg *table, const uint64_t *keys, size_t left, uint64_t *permuted) {
  if (left >= GROUP) {
    permute_group(&table->permutation[0], keys, permuted, GROUP);
    return GROUP;
  }
  uint64_t padded[GROUP] = {0};
  for (size_t i = 0; i < left; i++)
    padded[i] = keys[i];
  permute_group(&table->permutation[0], padded, permuted, (unsigned)left);
  return (unsigned)left;
}

KERNEL_FN void ask_first(const struct iceberg *table, uint64_t permuted, struct target *target, struct geometry g) {
  *target = first_target(table, permuted, g);
  prefetch_bucket(target->bucket, (unsigned)slot_bytes(g.bucket_slots, g.slot_bits));
}

/* Answers of a find are FOUND or FULL outside. */
KERNEL_FN uint8_t final_answer(unsigned answer, bool put) {
  return (uint8_t)(put || answer == ICEBERG_FOUND ? answer : (unsigned)ICEBERG_FULL);
}

/* The n keys that found their primary bucket full; where[i]: their place in the group. Sets their answers, returns
   the number of FULL. */
KERNEL_FN unsigned late_answers(const struct iceberg *table, const uint64_t *keys, const uint8_t *where, unsigned n,
                                uint8_t *answers, struct geometry g, bool put) {
  const unsigned bytes = (unsigned)slot_bytes(g.second_bucket_slots, g.second_slot_bits);
  uint64_t late[GROUP], permuted1[GROUP], permuted2[GROUP];
  struct target one[GROUP], two[GROUP];
  for (unsigned i = 0; i < n; i++)
    late[i] = keys[where[i]];
  for (unsigned i = n; i % STRIDE; i++)
    late[i] = 0;
  permute_group(&table->permutation[1], late, permuted1, n);
  permute_group(&table->permutation[2], late, permuted2, n);
  for (unsigned i = 0; i < n; i++) {
    one[i] = second_target(table, permuted1[i], 0, g);
    two[i] = second_target(table, permuted2[i], 1, g);
    prefetch_bucket(one[i].bucket, bytes);
    prefetch_bucket(two[i].bucket, bytes);
  }
  unsigned full = 0;
  for (unsigned i = 0; i < n; i++) {
    unsigned answer = second_answer(one[i], two[i], g, put);
    if (answer == ICEBERG_FULL)
      answer = third_answer(table, late[i], third_home(table, permuted1[i], permuted2[i]), put);
    answers[where[i]] = final_answer(answer, put);
    full += answer == ICEBERG_FULL;
  }
  return full;
}

/* answers[i] for keys[i]: FOUND, PUT or FULL; without `put` FOUND or FULL (absent). With `put` returns the number of
   FULL. */
KERNEL_FN size_t iceberg_answer_batch(const struct iceberg *table, const uint64_t *keys, size_t n, uint8_t *answers,
                                      struct geometry g, bool put) {
  uint64_t permuted[GROUP];
  struct target targets[GROUP];
  uint8_t where[GROUP];
  size_t full = 0;
  unsigned now = next_group(table, keys, n, permuted);
  for (unsigned i = 0; i < now; i++)
    ask_first(table, permuted[i], &targets[i], g);
  for (size_t at = 0; at < n; at += GROUP) {
    unsigned next = at + GROUP < n ? next_group(table, keys + at + GROUP, n - at - GROUP, permuted) : 0;
    unsigned late = 0;
    for (unsigned i = 0; i < now; i++) {
      unsigned answer = first_answer(targets[i], g, put);
      answers[at + i] = final_answer(answer, put);
      where[late] = (uint8_t)i;
      late += answer == ICEBERG_FULL;
      if (i < next)
        ask_first(table, permuted[i], &targets[i], g);
    }
    if (late)
      full += late_answers(table, keys + at, where, late, answers + at, g, put);
    now = next;
  }
  return full;
}

/* ---- with the numbers of the slots --------------------------------------------------------------- */

KERNEL_FN struct seat one_seat(const struct iceberg *table, uint64_t key, struct target first, struct geometry g,
                               bool put) {
  const struct seat seat = first_seat(table, first, g, put);
  if (seat.answer != ICEBERG_FULL)
    return seat;
  return later_seat(table, key, permutation_apply(&table->permutation[1], key),
                    permutation_apply(&table->permutation[2], key), g, put);
}

/* As iceberg_answer_batch, one key after the other; slots[i]: where keys[i] is, NO_SLOT: nowhere. */
KERNEL_FN size_t iceberg_seat_batch(const struct iceberg *table, const uint64_t *keys, size_t n, uint8_t *answers,
                                    uint64_t *slots, struct geometry g, bool put) {
  uint64_t permuted[GROUP];
  struct target targets[GROUP];
  size_t full = 0;
  for (size_t at = 0; at < n; at += GROUP) {
    const unsigned now = next_group(table, keys + at, n - at, permuted);
    for (unsigned i = 0; i < now; i++)
      ask_first(table, permuted[i], &targets[i], g);
    for (unsigned i = 0; i < now; i++) {
      const struct seat seat = one_seat(table, keys[at + i], targets[i], g, put);
      answers[at + i] = final_answer(seat.answer, put);
      slots[at + i] = answers[at + i] == ICEBERG_FULL ? NO_SLOT : seat.slot;
      full += answers[at + i] == ICEBERG_FULL;
    }
  }
  return full;
}

#endif
