/* Batches on the CPU: many keys pass the levels together, so that their cache misses overlap. Level 1: after each
   answer the bucket of the key KEY_BLOCK later is prefetched. Keys with a full primary bucket are collected; at the end
   of their block they pass level 2 together, in the same way. */
#ifndef FLOE_TABLES_ICEBERG_ICEBERG_BATCH_H
#define FLOE_TABLES_ICEBERG_ICEBERG_BATCH_H

#include "tables/kernel/iceberg.h"
#include "tables/kernel/slot_number.h"
#include "tables/key_batch.h"

#include <stddef.h>

KERNEL_FN void prefetch_bucket(const void *bucket, unsigned bytes) {
  for (unsigned at = 0; at < bytes; at += LINE)
    KERNEL_PREFETCH((const char *)bucket + at);
}

/* Permutes the next block of keys for level 1; returns their number: KEY_BLOCK except at the end of the batch. */
KERNEL_FN unsigned next_block(const struct iceberg *table, const uint64_t *keys, size_t left, uint64_t *permuted) {
  if (left >= KEY_BLOCK) {
    permute_block(&table->permutation[0], keys, permuted, KEY_BLOCK);
    return KEY_BLOCK;
  }
  uint64_t padded[KEY_BLOCK] = {0};
  for (size_t i = 0; i < left; i++)
    padded[i] = keys[i];
  permute_block(&table->permutation[0], padded, permuted, (unsigned)left);
  return (unsigned)left;
}

KERNEL_FN void prefetch_first(const struct iceberg *table, uint64_t permuted, struct target *target,
                              struct geometry g) {
  *target = first_target(table, permuted, g);
  prefetch_bucket(target->bucket, (unsigned)slot_bytes(g.bucket_slots, g.slot_bits));
}

/* Callers of a find get FOUND or FULL only. */
KERNEL_FN uint8_t final_answer(unsigned answer, bool put) {
  return (uint8_t)(put || answer == ICEBERG_FOUND ? answer : (unsigned)ICEBERG_FULL);
}

/* Compile-time constants of a batch; put: find-or-put, else find. */
struct batch_form {
  struct geometry geometry;
  bool put;
};

/* The n keys whose primary bucket is full; where[i]: index in the block. Sets their answers; returns the number of
   FULL. */
KERNEL_FN unsigned answer_later_levels(const struct iceberg *table, const uint64_t *keys, const uint8_t *where,
                                       unsigned n, uint8_t *answers, struct batch_form form) {
  const struct geometry g = form.geometry;
  const bool put = form.put;
  const unsigned bytes = (unsigned)slot_bytes(g.second_bucket_slots, g.second_slot_bits);
  uint64_t pending[KEY_BLOCK], permuted1[KEY_BLOCK], permuted2[KEY_BLOCK];
  struct target one[KEY_BLOCK], two[KEY_BLOCK];
  for (unsigned i = 0; i < n; i++)
    pending[i] = keys[where[i]];
  for (unsigned i = n; i % STRIDE; i++)
    pending[i] = 0;
  permute_block(&table->permutation[1], pending, permuted1, n);
  permute_block(&table->permutation[2], pending, permuted2, n);
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
      answer = third_answer(table, pending[i], third_home(table, permuted1[i], permuted2[i]), put);
    answers[where[i]] = final_answer(answer, put);
    full += answer == ICEBERG_FULL;
  }
  return full;
}

/* answers[i] for keys[i]: FOUND, PUT or FULL; without `put` FOUND or FULL (absent). With `put` returns the number of
   FULL. */
KERNEL_FN size_t iceberg_answer_batch(const struct iceberg *table, const uint64_t *keys, size_t n, uint8_t *answers,
                                      struct batch_form form) {
  const struct geometry g = form.geometry;
  const bool put = form.put;
  uint64_t permuted[KEY_BLOCK];
  struct target targets[KEY_BLOCK];
  uint8_t where[KEY_BLOCK];
  size_t full = 0;
  unsigned now = next_block(table, keys, n, permuted);
  for (unsigned i = 0; i < now; i++)
    prefetch_first(table, permuted[i], &targets[i], g);
  for (size_t at = 0; at < n; at += KEY_BLOCK) {
    unsigned next = at + KEY_BLOCK < n ? next_block(table, keys + at + KEY_BLOCK, n - at - KEY_BLOCK, permuted) : 0;
    unsigned pending = 0;
    for (unsigned i = 0; i < now; i++) {
      unsigned answer = first_answer(targets[i], g, put);
      answers[at + i] = final_answer(answer, put);
      where[pending] = (uint8_t)i;
      pending += answer == ICEBERG_FULL;
      if (i < next)
        prefetch_first(table, permuted[i], &targets[i], g);
    }
    if (pending)
      full += answer_later_levels(table, keys + at, where, pending, answers + at, form);
    now = next;
  }
  return full;
}

/* ---- with slot numbers --------------------------------------------------------------------------- */

KERNEL_FN struct placement one_placement(const struct iceberg *table, uint64_t key, struct target first,
                                         struct geometry g, bool put) {
  const struct placement placement = first_placement(table, first, g, put);
  if (placement.answer != ICEBERG_FULL)
    return placement;
  return later_placement(table, key, permutation_apply(&table->permutation[1], key),
                         permutation_apply(&table->permutation[2], key), g, put);
}

/* As iceberg_answer_batch, one key after the other; slots[i]: slot number of keys[i], NO_SLOT: none. */
KERNEL_FN size_t iceberg_placement_batch(const struct iceberg *table, const uint64_t *keys, size_t n, uint8_t *answers,
                                         uint64_t *slots, struct batch_form form) {
  const struct geometry g = form.geometry;
  const bool put = form.put;
  uint64_t permuted[KEY_BLOCK];
  struct target targets[KEY_BLOCK];
  size_t full = 0;
  for (size_t at = 0; at < n; at += KEY_BLOCK) {
    const unsigned now = next_block(table, keys + at, n - at, permuted);
    for (unsigned i = 0; i < now; i++)
      prefetch_first(table, permuted[i], &targets[i], g);
    for (unsigned i = 0; i < now; i++) {
      const struct placement placement = one_placement(table, keys[at + i], targets[i], g, put);
      answers[at + i] = final_answer(placement.answer, put);
      slots[at + i] = answers[at + i] == ICEBERG_FULL ? NO_SLOT : placement.slot;
      full += answers[at + i] == ICEBERG_FULL;
    }
  }
  return full;
}

#endif
