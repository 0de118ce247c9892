/* Moving all keys to a larger table. A key of primary bucket a with remainder r is the permuted key p = r * N + a.
   If the new table has k * N buckets, k a whole number, the key belongs to bucket a + (r mod k) * N there, with
   remainder r / k: buckets are read in order and written in k streams, without permutations and without cache
   misses. With x / y * N buckets p mod (x * N), and so the new bucket, advances with a in x streams as well. Keys
   that meet a full bucket, keys of the other levels, and all keys of a table with values (which move with their
   keys) are put one by one like any key. Tombstones are dropped. */
#include "tables/host_table.h"

#include "tables/iceberg/iceberg.h"
#include "tables/iceberg/iceberg_content.h"
#include "tables/iceberg/iceberg_map.h"

#include <assert.h>
#include <string.h>

enum { MOST_STREAMS = 16, AHEAD = 8 };

struct move {
  const struct table *from;
  struct table *to;
  uint64_t streams;       /* x */
  struct quotient factor; /* k, if it is a whole number */
  bool whole;
  struct visit_batch rest; /* keys to be put one by one */
  uint64_t full;           /* keys without a place */
};

static void put_batch(void *user, const uint64_t *keys, size_t n) {
  struct move *move = user;
  uint8_t answers[VISIT_BATCH];
  move->full += table_find_or_put(move->to, keys, n, answers);
}

/* The batch is that of the move: slots[i] is the old slot of keys[i]. */
static void put_with_values(void *user, const uint64_t *keys, size_t n) {
  struct move *move = user;
  uint8_t answers[VISIT_BATCH];
  uint64_t slots[VISIT_BATCH];
  const struct iceberg_state *to = iceberg_of(move->to);
  move->full += to->instance->placements(&to->view, keys, n, answers, slots, true);
  for (size_t i = 0; i < n; i++)
    if (answers[i] == TABLE_PUT)
      map_first(move->to, slots[i], map_value(move->from, move->rest.slots[i]));
}

/* The keys of a bucket go to the buckets of p = r * N + a for r from 0 to x - 1. */
KERNEL_FN void prefetch_streams(const struct move *move, uint64_t bucket, unsigned bits) {
  const struct iceberg *to = &iceberg_of(move->to)->view;
  const uint64_t bytes = slot_bytes(move->to->shape.bucket_slots, bits);
  for (uint64_t r = 0; r < move->streams; r++) {
    uint64_t permuted = bucket + r * move->from->shape.buckets;
    const unsigned char *at = to->first + quotient_split(to->first_quotient, permuted).address * bytes;
    for (uint64_t line = 0; line < bytes; line += 64)
      KERNEL_PREFETCH(at + line);
  }
}

/* The order property: a slot is claimed after all before it were claimed here or read as full. Keys are different,
   so no comparison is necessary. */
KERNEL_FN bool claim_next(void *bucket, unsigned slots, unsigned bits, uint64_t value, uint8_t *next) {
  while (*next < slots)
    if (slot_claim(bucket, (*next)++, bits, value) == 0)
      return true;
  return false;
}

KERNEL_FN void move_bucket(struct move *move, uint64_t bucket, unsigned from_bits, unsigned to_bits) {
  const struct iceberg *from = &iceberg_of(move->from)->view, *to = &iceberg_of(move->to)->view;
  const unsigned from_slots = move->from->shape.bucket_slots;
  const unsigned to_slots = move->to->shape.bucket_slots;
  const uint64_t to_bytes = slot_bytes(to_slots, to_bits), dead = dead_slot(move->from, from_bits);
  uint8_t next[MOST_STREAMS] = {0};
  for (unsigned i = 0; i < from_slots; i++) {
    uint64_t slot = slot_load(from->first, bucket * from_slots + i, from_bits);
    if (slot == 0)
      break; /* by the order property the rest is empty */
    if (slot == dead)
      continue;
    struct place place = quotient_split(move->factor, first_remainder(slot));
    uint64_t address = bucket + place.address * move->from->shape.buckets;
    if (!claim_next(to->first + address * to_bytes, to_slots, to_bits, first_encode(place.remainder),
                    &next[place.address]))
      visit_batch_add(&move->rest, first_key(from, bucket, slot));
  }
}

/* Several buckets go to one bucket of the new table, which other threads may fill as well: searches its first empty
   slot. */
KERNEL_FN bool claim_first(void *bucket, unsigned slots, unsigned bits, uint64_t value) {
  for (unsigned i = 0; i < slots; i++)
    if (slot_load(bucket, i, bits) == 0 && slot_claim(bucket, i, bits, value) == 0)
      return true;
  return false;
}

KERNEL_FN void move_bucket_between(struct move *move, uint64_t bucket, unsigned from_bits, unsigned to_bits) {
  const struct iceberg *from = &iceberg_of(move->from)->view, *to = &iceberg_of(move->to)->view;
  const unsigned from_slots = move->from->shape.bucket_slots;
  const unsigned to_slots = move->to->shape.bucket_slots;
  const uint64_t to_bytes = slot_bytes(to_slots, to_bits), dead = dead_slot(move->from, from_bits);
  for (unsigned i = 0; i < from_slots; i++) {
    uint64_t slot = slot_load(from->first, bucket * from_slots + i, from_bits);
    if (slot == 0)
      break;
    if (slot == dead)
      continue;
    uint64_t permuted = quotient_join(from->first_quotient, bucket, first_remainder(slot));
    struct place place = quotient_split(to->first_quotient, permuted);
    if (!claim_first(to->first + place.address * to_bytes, to_slots, to_bits, first_encode(place.remainder)))
      visit_batch_add(&move->rest, first_key(from, bucket, slot));
  }
}

KERNEL_FN void move_buckets(struct move *move, struct index_range range, unsigned from_bits, unsigned to_bits) {
  for (uint64_t b = range.begin; b < range.end; b++) {
    if (b + AHEAD < range.end)
      prefetch_streams(move, b + AHEAD, to_bits);
    if (move->whole)
      move_bucket(move, b, from_bits, to_bits);
    else
      move_bucket_between(move, b, from_bits, to_bits);
  }
}

/* The usual pairs of widths as constants. */
static void move_first(struct move *move, struct index_range range) {
  const unsigned from_bits = move->from->shape.slot_bits, to_bits = move->to->shape.slot_bits;
  if (from_bits == 64 && to_bits == 64)
    move_buckets(move, range, 64, 64);
  else if (from_bits == 32 && to_bits == 32)
    move_buckets(move, range, 32, 32);
  else if (from_bits == 16 && to_bits == 16)
    move_buckets(move, range, 16, 16);
  else
    move_buckets(move, range, from_bits, to_bits);
}

static bool same_permutation(const struct table *a, const struct table *b) {
  struct permutation one = iceberg_of(a)->view.permutation[0], two = iceberg_of(b)->view.permutation[0];
  /* A user's permutation is the host's copy; equal copies are the same permutation. */
  one.user = two.user = NULL;
  return memcmp(&one, &two, sizeof one) == 0 && memcmp(&a->user, &b->user, sizeof a->user) == 0;
}

/* The least x with x / y * N buckets in the new table; 0: too large, or the permutations differ. */
static uint64_t streams(const struct table *from, const struct table *to) {
  if (!same_permutation(from, to))
    return 0;
  for (uint64_t y = 1; y <= 8; y++)
    if (to->shape.buckets * y % from->shape.buckets == 0) {
      uint64_t x = to->shape.buckets * y / from->shape.buckets;
      return x <= MOST_STREAMS ? x : 0;
    }
  return 0;
}

uint64_t iceberg_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts) {
  struct move move = {.from = from, .to = to};
  move.rest.visit = put_batch;
  move.rest.user = &move;
  if (iceberg_of(to)->view.values)
    move.rest.visit = put_with_values;
  else
    move.streams = streams(from, to);
  if (!move.streams) {
    all_each(from, part, parts, &move.rest);
    visit_batch_flush(&move.rest);
    return move.full;
  }
  assert(move.streams <= MOST_STREAMS);
  uint64_t factor = to->shape.buckets / from->shape.buckets;
  move.whole = factor && to->shape.buckets == factor * from->shape.buckets;
  if (move.whole)
    move.factor = quotient_make(factor);
  move_first(&move, index_range_part(from->shape.buckets, part, parts));
  later_each(from, part, parts, &move.rest);
  visit_batch_flush(&move.rest);
  return move.full;
}
