/* Theorem 1 of the paper, part by part, with level 3, for every slot width and bucket size; one thread here, many in
   test_stress.c. */
#include "suite.h"

#include "table/overflow.h"
#include "table/owner.h"

#include <math.h>

/* Tables small enough to be filled over and over, with keys wide enough for slots of every width. */
static unsigned each_geometry(void (*check)(const struct table_config *config)) {
  unsigned tables = 0;
  static const unsigned key_bits[] = {18, 24, 33, 36, 64};
  for (size_t k = 0; k < sizeof key_bits / sizeof *key_bits; k++)
    for (size_t w = 0; w < SLOT_WIDTHS; w++)
      for (size_t b = 0; b < BUCKET_SIZES; b++) {
        struct table_config config = {.key_bits = key_bits[k], .slot_bits = slot_widths[w],
                                      .bucket_slots = bucket_sizes[b], .seed = k};
        if (!plan_at_least(&config, 1000))
          continue;
        check(&config);
        tables++;
      }
  return tables;
}

static uint64_t key_of(const struct table *table, uint64_t i) {
  uint64_t state = i;
  return next_word(&state) & largest_key(table_shape(table)->key_bits);
}

/* By definition, from the slots alone: does the table hold the key; is every slot of its order full? */
struct slots_of_key {
  bool holds, all_full;
};

static void look(struct slots_of_key *out, struct target target, unsigned slots, unsigned bits) {
  for (unsigned i = 0; i < slots; i++) {
    uint64_t slot = slot_load(target.bucket, i, bits);
    out->holds |= slot == target.wanted;
    out->all_full &= slot != 0;
  }
}

static struct slots_of_key slots_of_key(const struct table *table, uint64_t key) {
  const struct iceberg *view = &table->view;
  const struct geometry g = table->instance->geometry;
  uint64_t p[3];
  for (unsigned i = 0; i < 3; i++)
    p[i] = permutation_apply(&view->permutation[i], key);
  struct slots_of_key out = {false, true};
  look(&out, first_target(view, p[0], g), g.bucket_slots, g.slot_bits);
  look(&out, second_target(view, p[1], 0, g), g.second_bucket_slots, g.second_slot_bits);
  look(&out, second_target(view, p[2], 1, g), g.second_bucket_slots, g.second_slot_bits);
  uint64_t home = third_home(view, p[1], p[2]);
  for (uint64_t n = 0; n < third_probes(view); n++) {
    uint64_t at = (home + n) % view->third_buckets;
    struct target target = {view->third + at * THIRD_BUCKET_SLOTS, third_encode(key)};
    look(&out, target, THIRD_BUCKET_SLOTS, THIRD_SLOT_BITS);
  }
  return out;
}

/* (a) Well-formedness is kept: looked at all along the way to the full table. */
static void stays_well_formed(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t slots = table_shape(table)->slots, step = slots / 8 + 1, wrong = 0;
  for (uint64_t i = 0; i < 2 * slots; i++) {
    put_one(table, key_of(table, i));
    if (i % step == 0)
      wrong += table_check(table);
  }
  ck_assert_uint_eq(wrong + table_check(table), 0);
  table_free(table);
}

START_TEST(a_well_formedness_is_preserved) { ck_assert_uint_ge(each_geometry(stays_well_formed), 30); }
END_TEST

/* (b) Every call ends and answers FOUND, PUT or FULL; also when nothing fits any more. */
static void always_answers(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t count[3] = {0, 0, 0}, n = 3 * table_shape(table)->slots;
  for (uint64_t i = 0; i < n; i++) {
    unsigned answer = put_one(table, key_of(table, i % (n / 2)));
    ck_assert_uint_le(answer, TABLE_FULL);
    count[answer]++;
  }
  ck_assert_uint_eq(count[TABLE_FOUND] + count[TABLE_PUT] + count[TABLE_FULL], n);
  ck_assert_uint_eq(count[TABLE_PUT], table_count(table));
  table_free(table);
}

START_TEST(b_every_call_ends_with_an_answer) { each_geometry(always_answers); }
END_TEST

/* (c) FOUND or PUT if and only if the key is in the table afterwards. (d) PUT if and only if this call put it.
   (e) FULL only when all slots of the key's order are full and none holds it. */
static void answers_mean_what_they_say(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t n = 2 * table_shape(table)->slots, wrong_c = 0, wrong_d = 0, wrong_e = 0;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t key = key_of(table, i % 3 ? i : i / 2);
    struct slots_of_key before = slots_of_key(table, key);
    unsigned answer = put_one(table, key);
    struct slots_of_key after = slots_of_key(table, key);
    wrong_c += (answer != TABLE_FULL) != after.holds;
    wrong_d += (answer == TABLE_PUT) != (!before.holds && after.holds);
    wrong_e += (answer == TABLE_FULL) != (before.all_full && !before.holds);
  }
  ck_assert_uint_eq(wrong_c, 0);
  ck_assert_uint_eq(wrong_d, 0);
  ck_assert_uint_eq(wrong_e, 0);
  table_free(table);
}

START_TEST(c_d_e_answers_mean_what_they_say) { each_geometry(answers_mean_what_they_say); }
END_TEST

/* How far a table fills before the first key is refused: level 3 takes what levels 1 and 2 have no place for. (Its
   size leaves room for chance; of many small tables some are unlucky.) */
static void fills_up(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t put = 0;
  while (put_one(table, key_of(table, put)) != TABLE_FULL && put < table_shape(table)->slots)
    put++;
  double fill = (double)table_count(table) / (double)table_shape(table)->slots;
  ck_assert_double_ge(fill, TABLE_FILL - 0.03);
  table_free(table);
}

START_TEST(tables_fill_up) { each_geometry(fills_up); }
END_TEST

/* The number of keys at level 3 is what its size was chosen by. */
static void overflows_as_expected(const struct table_config *config) {
  struct table *table = make_table(config);
  const struct table_shape *shape = table_shape(table);
  struct table_stats stats;
  uint64_t keys = (uint64_t)(TABLE_FILL * (double)shape->slots), refused = 0;
  for (uint64_t i = 0; i < keys; i++)
    refused += put_one(table, key_of(table, i)) == TABLE_FULL;
  table_stats(table, &stats);
  double third = (double)(stats.level_used[2] + refused), expected = overflow_expected(shape, (double)keys);
  ck_assert_uint_le(refused, keys / 1000);
  ck_assert_double_le(third, 1.1 * expected + 2 * sqrt((double)keys));
  ck_assert_double_ge(third, 0.9 * expected - 2 * sqrt((double)keys));
  table_free(table);
}

START_TEST(level_3_is_as_large_as_needed) {
  static const unsigned key_bits[] = {24, 27, 30, 33, 60};
  unsigned tables = 0;
  for (size_t k = 0; k < sizeof key_bits / sizeof *key_bits; k++)
    for (size_t w = 0; w < SLOT_WIDTHS; w++)
      for (size_t b = 0; b < BUCKET_SIZES; b++) {
        const struct table_config config = {.key_bits = key_bits[k], .slot_bits = slot_widths[w],
                                            .bucket_slots = bucket_sizes[b], .slots = 100000};
        struct table_shape shape;
        if (table_plan(&config, &shape) != FLOE_OK || shape.slots > 110000)
          continue;
        overflows_as_expected(&config);
        tables++;
      }
  ck_assert_uint_ge(tables, 20);
}
END_TEST

/* A damaged table is told: the check would be worth nothing if it could not fail. */
START_TEST(damage_is_found) {
  struct table *table = make_table(&(struct table_config){.key_bits = 40, .slots = 2000, .slot_bits = 64});
  for (uint64_t i = 0; i < 2000; i++)
    put_one(table, key_of(table, i));
  ck_assert_uint_eq(table_check(table), 0);
  uint64_t *slots = (uint64_t *)(void *)table->view.first, kept = slots[0];
  slots[0] = slots[1]; /* a duplicate */
  ck_assert_uint_ge(table_check(table), 1);
  slots[0] = 0; /* a hole */
  ck_assert_uint_ge(table_check(table), 1);
  slots[0] = UINT64_MAX; /* no key's remainder */
  ck_assert_uint_ge(table_check(table), 1);
  slots[0] = kept;
  ck_assert_uint_eq(table_check(table), 0);
  table->view.third[0] = third_encode(key_of(table, 0)); /* in level 1 already */
  ck_assert_uint_ge(table_check(table), 1);
  table_free(table);
}
END_TEST

START_TEST(packed_damage_is_found) {
  struct table *table = make_table(&(struct table_config){.key_bits = 26, .slots = 2000, .slot_bits = 21});
  uint64_t *words = (uint64_t *)(void *)table->view.first;
  for (uint64_t i = 0; i < 1900; i++)
    put_one(table, key_of(table, i));
  ck_assert_uint_eq(table_check(table), 0);
  const uint64_t kept = words[0];
  words[0] |= UINT64_C(1) << 63; /* no slot's */
  ck_assert_uint_eq(table_check(table), 1);
  words[0] = (kept & ~PACKED_MASK) | (kept >> PACKED_BITS & PACKED_MASK); /* a duplicate */
  ck_assert_uint_ge(table_check(table), 1);
  words[0] = kept & ~PACKED_MASK; /* a hole */
  ck_assert_uint_ge(table_check(table), 1);
  words[0] = kept | PACKED_MASK; /* no key's remainder */
  ck_assert_uint_ge(table_check(table), 1);
  words[0] = kept;
  ck_assert_uint_eq(table_check(table), 0);
  table_free(table);
}
END_TEST

/* Keys at level 2 and 3 while level 1 has a place for them. */
START_TEST(keys_at_too_high_a_level_are_found) {
  struct table *table = make_table(&(struct table_config){.key_bits = 64, .slots = 2000});
  uint64_t *second = (uint64_t *)(void *)table->view.second;
  for (unsigned which = 0; which < 2; which++) {
    second[0] = second_encode(5, which);
    ck_assert_uint_eq(table_check(table), 1);
  }
  second[0] = 0;
  table->view.third[0] = third_encode(77);
  ck_assert_uint_eq(table_check(table), 1);
  table->view.third[0] = 0;
  *table->view.last_key = 1;
  ck_assert_uint_eq(table_check(table), 1);
  table_free(table);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {a_well_formedness_is_preserved, b_every_call_ends_with_an_answer,
                                c_d_e_answers_mean_what_they_say, tables_fill_up,
                                level_3_is_as_large_as_needed, damage_is_found, packed_damage_is_found,
                                keys_at_too_high_a_level_are_found};
  return RUN_SUITE("theorem", tests);
}
