/* "The first empty slot" against "the number of full slots".

   A bucket that is read by two loads is not one snapshot. Here the scan reads the lower half, then lets another
   thread's puts happen (deterministically: the hook below), then reads the upper half. So a later slot is seen full
   while an earlier one was seen empty. The same kernel text, the same schedule, twice: with the kernel's rule, and
   with the rule of Algorithm 2 of the paper. The second one puts a key twice. */
#include "tests/tables/table_suite.h"

#include <stdbool.h>

static void (*between_loads)(void);

#define KERNEL_SCAN "tests/tables/kernel/scan_torn.h"
static bool count_full_slots; /* use the wrong rule */
static void (*before_claims)(void);
#define ICEBERG_CANDIDATES(scan, slots) candidates(scan, slots)
#include "tables/kernel/shim.h"

static uint32_t candidates(struct scan scan, unsigned slots) {
  void (*hook)(void) = before_claims;
  before_claims = NULL;
  if (hook)
    hook();
  if (!count_full_slots)
    return scan.empty;
  unsigned full = slots - count_bits(scan.empty);
  return full < slots ? UINT32_MAX >> (32 - slots) & UINT32_MAX << full : 0;
}

#include "tables/kernel/iceberg.h"
#include "tables/kernel/slot_number.h"
#include "tables/permutation.h"

static const struct geometry geometries[] = {{16, 8, 16, 4}, {21, 12, 21, 6}, {32, 8, 64, 4}};
enum { GEOMETRIES = sizeof geometries / sizeof *geometries };
static struct geometry geometry; /* of the test that runs */

/* A table of one primary bucket and one secondary one; keys are remainders as they stand but for the permutation. */
static struct iceberg table;
static uint64_t first[4] __attribute__((aligned(64))), second[4] __attribute__((aligned(64)));
static uint64_t third[THIRD_BUCKET_SLOTS] __attribute__((aligned(64)));

static void reset(bool wrong_rule) {
  memset(first, 0, sizeof first);
  memset(second, 0, sizeof second);
  memset(third, 0, sizeof third);
  count_full_slots = wrong_rule;
  between_loads = before_claims = NULL;
  table = (struct iceberg){.first = (unsigned char *)first,
                           .second = (unsigned char *)second,
                           .third = third,
                           .third_buckets = 1,
                           .first_quotient = quotient_make(1),
                           .second_quotient = quotient_make(1)};
  for (unsigned i = 0; i < 3; i++)
    ck_assert_int_eq(permutation_make("mix", 12, 7, i, NULL, &table.permutation[i]), FLOE_OK);
}

static bool with_slots; /* by the text that tells the key's slot */

static unsigned put(uint64_t key) {
  if (!with_slots)
    return iceberg_answer_one(&table, key, geometry, true);
  const struct target target = first_target(&table, permutation_apply(&table.permutation[0], key), geometry);
  const struct placement placement = first_placement(&table, target, geometry, true);
  return placement.answer != ICEBERG_FULL
             ? placement.answer
             : later_placement(&table, key, permutation_apply(&table.permutation[1], key),
                               permutation_apply(&table.permutation[2], key), geometry, true)
                   .answer;
}

static unsigned copies(uint64_t key) {
  uint64_t p = permutation_apply(&table.permutation[0], key);
  unsigned n = 0;
  for (unsigned i = 0; i < geometry.bucket_slots; i++)
    n += slot_load(first, i, geometry.slot_bits) == first_target(&table, p, geometry).wanted;
  return n;
}

/* The other thread puts the same key in the last slot of the lower half, and one more key after it. */
static void other_thread(void) {
  between_loads = NULL;
  ck_assert_uint_eq(put(100), ICEBERG_PUT);
  ck_assert_uint_eq(put(200), ICEBERG_PUT);
}

static unsigned torn_put(bool wrong_rule) {
  reset(wrong_rule);
  for (uint64_t key = 0; key < geometry.bucket_slots / 2 - 1; key++)
    ck_assert_uint_eq(put(key), ICEBERG_PUT);
  between_loads = other_thread;
  unsigned answer = put(100);
  ck_assert_ptr_null(between_loads); /* the schedule did happen */
  return answer;
}

START_TEST(first_empty_slot_survives_a_torn_snapshot) {
  for (size_t i = 0; i < 2 * GEOMETRIES; i++) {
    geometry = geometries[i / 2];
    with_slots = i % 2;
    ck_assert_uint_eq(torn_put(false), ICEBERG_FOUND);
    ck_assert_uint_eq(copies(100), 1);
  }
  with_slots = false;
}
END_TEST

START_TEST(number_of_full_slots_puts_twice) {
  for (size_t i = 0; i < GEOMETRIES; i++) {
    geometry = geometries[i];
    ck_assert_uint_eq(torn_put(true), ICEBERG_PUT);
    ck_assert_uint_eq(copies(100), 2);
  }
}
END_TEST

static void put_all(bool wrong_rule) {
  reset(wrong_rule);
  for (uint64_t key = 0; key < geometry.bucket_slots; key++)
    ck_assert_uint_eq(put(key), ICEBERG_PUT);
  for (uint64_t key = 0; key < geometry.bucket_slots; key++)
    ck_assert_uint_eq(put(key), ICEBERG_FOUND);
}

/* Without the tear both rules do the same: the schedule is what tells them apart. */
START_TEST(rules_agree_without_a_tear) {
  for (size_t i = 0; i < GEOMETRIES; i++) {
    geometry = geometries[i];
    put_all(false);
    put_all(true);
  }
}
END_TEST

/* Lemma 4: between the scan and the claims another thread takes every slot that was seen empty. Each is tried once,
   then the call ends. */
static void take_all(void) {
  uint64_t key = 1000;
  while (put(key) != ICEBERG_FULL)
    key++;
}

static void take_all_of_bucket(void) {
  for (uint64_t key = 1000; key < 1000 + geometry.bucket_slots - 3; key++)
    ck_assert_uint_eq(put(key), ICEBERG_PUT);
}

static void take_all_with_the_key(void) {
  ck_assert_uint_eq(put(1000), ICEBERG_PUT);
  ck_assert_uint_eq(put(100), ICEBERG_PUT);
  take_all();
}

static unsigned put_against(void (*other)(void)) {
  reset(false);
  for (uint64_t key = 0; key < 3; key++)
    ck_assert_uint_eq(put(key), ICEBERG_PUT);
  before_claims = other;
  return put(100);
}

START_TEST(claims_that_all_fail_end) {
  for (size_t i = 0; i < GEOMETRIES; i++) {
    geometry = geometries[i];
    ck_assert_uint_eq(put_against(take_all), ICEBERG_FULL);
    ck_assert_uint_eq(put_against(take_all_with_the_key), ICEBERG_FOUND);
    ck_assert_uint_eq(copies(100), 1);
    ck_assert_uint_eq(put_against(take_all_of_bucket), ICEBERG_PUT);
    ck_assert_uint_eq(copies(100), 0); /* at level 2 */
    ck_assert_uint_eq(put(100), ICEBERG_FOUND);
  }
}
END_TEST

/* Why tombstones are not used again: the put of key 100 has read slot 0, a tombstone, when another thread puts the same
   key there. */
static void put_into_tombstone(void) {
  between_loads = NULL;
  const uint64_t p = permutation_apply(&table.permutation[0], 100);
  const uint64_t wanted = first_target(&table, p, geometry).wanted;
  ck_assert_uint_eq(slot_swap(first, 0, geometry.slot_bits, slot_tombstone(geometry.slot_bits), wanted),
                    slot_tombstone(geometry.slot_bits));
}

static void put_after_tombstone(void) {
  between_loads = NULL;
  ck_assert_uint_eq(put(100), ICEBERG_PUT);
}

static unsigned put_beside_tombstone(void (*other)(void)) {
  reset(false);
  table.deletes = 1;
  ck_assert_uint_eq(put(7), ICEBERG_PUT);
  ck_assert(placement_delete(&table, 0, geometry));
  ck_assert(!placement_delete(&table, 0, geometry));
  between_loads = other;
  return put(100);
}

START_TEST(tombstones_used_again_would_put_twice) {
  for (size_t i = 0; i < GEOMETRIES; i++) {
    geometry = geometries[i];
    ck_assert_uint_eq(put_beside_tombstone(put_into_tombstone), ICEBERG_PUT);
    ck_assert_uint_eq(copies(100), 2);
    ck_assert_uint_eq(put_beside_tombstone(put_after_tombstone), ICEBERG_FOUND);
    ck_assert_uint_eq(copies(100), 1);
  }
}
END_TEST

/* Slots of 21 bits share words: each is claimed once, whatever its neighbours hold. */
START_TEST(packed_slots_keep_apart) {
  const uint64_t values[] = {1, PACKED_MASK, PACKED_MASK - 1, UINT64_C(1) << (PACKED_BITS - 1)};
  for (unsigned shift = 0; shift < 12; shift++) {
    uint64_t words[4] = {0, 0, 0, 0};
    for (unsigned n = 0; n < 12; n++) {
      const unsigned i = (n * 5 + shift) % 12;
      ck_assert_uint_eq(slot_load(words, i, PACKED_BITS), 0);
      ck_assert_uint_eq(slot_claim(words, i, PACKED_BITS, values[i % 4]), 0);
      ck_assert_uint_eq(slot_claim(words, i, PACKED_BITS, 7), values[i % 4]);
    }
    for (unsigned i = 0; i < 12; i++)
      ck_assert_uint_eq(slot_load(words, i, PACKED_BITS), values[i % 4]);
    for (unsigned i = 0; i < 12; i += 2) { /* swapped, and not */
      ck_assert_uint_eq(slot_swap(words, i, PACKED_BITS, 12345, 6), values[i % 4]);
      ck_assert_uint_eq(slot_swap(words, i, PACKED_BITS, values[i % 4], 5 + i), values[i % 4]);
    }
    for (unsigned i = 0; i < 12; i++)
      ck_assert_uint_eq(slot_load(words, i, PACKED_BITS), i % 2 ? values[i % 4] : 5 + i);
    for (unsigned i = 0; i < 4; i++)
      ck_assert_uint_eq(words[i] >> 63, 0);
  }
}
END_TEST

int main(void) {
  return RUN_SUITE("rule", first_empty_slot_survives_a_torn_snapshot, number_of_full_slots_puts_twice,
                   rules_agree_without_a_tear, claims_that_all_fail_end, tombstones_used_again_would_put_twice,
                   packed_slots_keep_apart);
}
