/* Values, slot numbers and exact sizes of iceberg tables: threads that add to the same keys, every reduction. */
#include "tests/tables/table_suite.h"

#include "tables/host_table.h"
#include "tables/iceberg/iceberg.h"
#include "tables/kernel/value.h"
#include "tables/permutation.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, BATCH = 300 };

static uint64_t key_of(const struct table *table, uint64_t i) {
  return i * UINT64_C(0x9e3779b97f4a7c15) & largest_key(table_shape(table)->key_bits);
}

/* A user's reduction: no value is neutral, but the order does not matter. */
static uint64_t product(void *data, uint64_t present, uint64_t added) {
  atomic_fetch_add((atomic_ullong *)data, 1);
  return present * added;
}
static atomic_ullong calls;

static uint64_t reduce(enum table_reduction reduction, uint64_t present, uint64_t added) {
  switch (reduction) {
  case TABLE_SUM:
    return present + added;
  case TABLE_MIN:
    return present < added ? present : added;
  case TABLE_MAX:
    return present > added ? present : added;
  case TABLE_USER_REDUCTION:
    return present * added;
  default:
    return added;
  }
}

static uint64_t identity(void *data, unsigned number, unsigned bits, uint64_t key) {
  (void)data, (void)number, (void)bits;
  return key;
}
static const struct permutation_user bad = {identity, identity, NULL, NULL, NULL};

static unsigned each_map(void (*check)(const struct table_config *config)) {
  static const unsigned key_bits[] = {18, 24, 33, 36, 64};
  unsigned tables = 0;
  for (size_t k = 0; k < sizeof key_bits / sizeof *key_bits; k++)
    for (size_t w = 0; w < SLOT_WIDTHS; w++)
      for (size_t b = 0; b < BUCKET_SIZES; b++) {
        struct table_config config = {.key_bits = key_bits[k],
                                      .slot_bits = slot_widths[w],
                                      .bucket_slots = bucket_sizes[b],
                                      .value_bits = tables & 1 ? 32 : 64,
                                      .deletes = tables & 2,
                                      .reduce = product,
                                      .reduce_data = &calls,
                                      .permutation_user = tables % 5 ? NULL : &bad};
        if (!plan_at_least(&config, 700))
          continue;
        for (unsigned r = TABLE_REPLACE; r <= TABLE_USER_REDUCTION; r++) {
          if (!falls_to_form(k + w + b + r))
            continue;
          config.reduction = (enum table_reduction)r;
          check(&config);
        }
        tables++;
      }
  return tables;
}

/* ---- one thread --------------------------------------------------------------------------------- */

/* A batch with a key many times combines all its values. */
START_TEST(many_times_in_a_batch) {
  for (unsigned r = TABLE_REPLACE; r <= TABLE_USER_REDUCTION; r++) {
    struct table *table = make_table(&(struct table_config){.key_bits = 30,
                                                            .slots = 1000,
                                                            .value_bits = 64,
                                                            .reduction = (enum table_reduction)r,
                                                            .reduce = product,
                                                            .reduce_data = &calls});
    uint64_t keys[BATCH], values[BATCH], expected = 3;
    uint8_t answers[BATCH];
    for (unsigned i = 0; i < BATCH; i++) {
      keys[i] = 77;
      values[i] = r == TABLE_REPLACE ? 3 : 3 + i % 5;
      expected = i ? reduce((enum table_reduction)r, expected, values[i]) : values[0];
    }
    table_run(table, TABLE_ADD, keys, values, BATCH, answers);
    ck_assert_uint_eq(table_count(table), 1);
    table_run(table, TABLE_GET, keys, values, 1, answers);
    ck_assert_uint_eq(values[0], expected);
    table_free(table);
  }
}
END_TEST

/* ---- slots -------------------------------------------------------------------------------------- */

/* Slot numbers are unique, and they stay. */
static void numbered(const struct table_config *config) {
  struct table *table = make_table(config);
  const struct table_shape *shape = table_shape(table);
  const uint64_t n = shape->slots * 8 / 10;
  uint64_t *slots = calloc(n, sizeof *slots), *later = calloc(n, sizeof *later);
  uint64_t *keys = calloc(n, sizeof *keys), full = 0, wrong = 0;
  bool *taken = calloc(shape->slots, sizeof *taken);
  for (uint64_t i = 0; i < n; i++)
    keys[i] = key_of(table, i);
  ck_assert_uint_eq(iceberg_find_slots(table, keys, n, slots), n);
  for (uint64_t i = 0; i < n; i++) {
    full += put_one(table, keys[i]) == TABLE_FULL;
    iceberg_find_slots(table, &keys[i], 1, &slots[i]);
  }
  ck_assert_uint_eq(iceberg_find_slots(table, keys, n, later), full);
  for (uint64_t i = 0; i < n; i++) {
    wrong += slots[i] != later[i];
    if (slots[i] == UINT64_MAX)
      continue;
    ck_assert_uint_lt(slots[i], shape->slots);
    wrong += taken[slots[i]];
    taken[slots[i]] = true;
  }
  /* level by level, as many as in the statistics */
  struct table_stats stats;
  table_stats(table, &stats);
  for (uint64_t level = 0, at = 0; level < 3; level++) {
    uint64_t used = 0;
    for (uint64_t i = 0; i < stats.level_slots[level]; i++)
      used += taken[at++];
    wrong += used != stats.level_used[level];
  }
  ck_assert_uint_eq(wrong, 0);
  free(slots);
  free(later);
  free(keys);
  free(taken);
  table_free(table);
}

START_TEST(slots_are_numbered) { each_map(numbered); }
END_TEST

/* Keys put with numbers have the value 0, for which a user's reduction does not wait. */
static void numbered_with_values(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t keys[BATCH], values[BATCH], slots[BATCH], wrong = 0;
  uint8_t answers[BATCH];
  for (uint64_t i = 0; i < BATCH; i++)
    keys[i] = key_of(table, i), values[i] = i + 1;
  table_run(table, TABLE_ADD, keys, values, BATCH / 3, answers);
  const size_t full = table_find_or_put_slots(table, keys, BATCH, answers, slots);
  ck_assert(full == 0 || config->permutation_user);
  ck_assert_uint_eq(table_run(table, TABLE_GET, keys, values, BATCH, answers), full);
  for (uint64_t i = 0; i < BATCH; i++)
    if (answers[i] == TABLE_FOUND)
      wrong += values[i] != (i < BATCH / 3 ? i + 1 : 0) || table_key_at(table, slots[i]) != keys[i];
  ck_assert_uint_eq(wrong, 0);
  table_free(table);
}

START_TEST(keys_put_with_numbers_have_values) { each_map(numbered_with_values); }
END_TEST

/* ---- threads ------------------------------------------------------------------------------------ */

struct crowd {
  struct table *table;
  const struct table_config *config;
  uint64_t keys, rounds;
  atomic_uint next;
  pthread_barrier_t start;
};

static uint64_t crowd_value(const struct crowd *crowd, unsigned thread, uint64_t round, uint64_t i) {
  const uint64_t value = (thread * 31 + round * 7 + i) % 1000 * 2 + 1;
  return crowd->config->reduction == TABLE_REPLACE ? 5 * i + 1 : value;
}

/* Every thread adds to all keys `rounds` times, each starting elsewhere. */
static void *add_to_all(void *argument) {
  struct crowd *crowd = argument;
  const unsigned thread = atomic_fetch_add(&crowd->next, 1);
  uint64_t keys[BATCH], values[BATCH];
  uint8_t answers[BATCH];
  pthread_barrier_wait(&crowd->start);
  for (uint64_t round = 0; round < crowd->rounds; round++)
    for (uint64_t at = 0; at < crowd->keys; at += BATCH) {
      for (unsigned i = 0; i < BATCH; i++) {
        const uint64_t number = thread & 1 ? at + i : at + BATCH - 1 - i;
        keys[i] = key_of(crowd->table, number);
        values[i] = crowd_value(crowd, thread, round, number);
      }
      table_run(crowd->table, TABLE_ADD, keys, values, BATCH, answers);
    }
  return NULL;
}

static uint64_t crowd_total(const struct crowd *crowd, uint64_t number) {
  uint64_t total = 0;
  for (unsigned thread = 0; thread < THREADS; thread++)
    for (uint64_t round = 0; round < crowd->rounds; round++) {
      const uint64_t value = crowd_value(crowd, thread, round, number);
      total = thread || round ? reduce(crowd->config->reduction, total, value) : value;
    }
  return total & UINT64_MAX >> (64 - crowd->config->value_bits);
}

static void nothing_is_lost(const struct table_config *config) {
  struct crowd crowd = {.table = make_table(config), .config = config, .rounds = 3};
  pthread_t thread[THREADS];
  uint64_t wrong = 0;
  if (config->permutation_user)
    goto done; /* fills unevenly */
  crowd.keys = table_shape(crowd.table)->slots / 2 / BATCH * BATCH;
  pthread_barrier_init(&crowd.start, NULL, THREADS);
  for (unsigned t = 0; t < THREADS; t++)
    ck_assert_int_eq(pthread_create(&thread[t], NULL, add_to_all, &crowd), 0);
  for (unsigned t = 0; t < THREADS; t++)
    pthread_join(thread[t], NULL);
  pthread_barrier_destroy(&crowd.start);
  for (uint64_t i = 0; i < crowd.keys; i++) {
    uint64_t key = key_of(crowd.table, i), value;
    uint8_t answer;
    table_run(crowd.table, TABLE_GET, &key, &value, 1, &answer);
    wrong += answer != TABLE_FOUND || value != crowd_total(&crowd, i);
  }
  ck_assert_uint_eq(wrong, 0);
  ck_assert_uint_eq(table_count(crowd.table), crowd.keys);
  ck_assert_uint_eq(table_check(crowd.table), 0);
done:
  table_free(crowd.table);
}

START_TEST(what_threads_add_is_there) { each_map(nothing_is_lost); }
END_TEST

/* ---- plans -------------------------------------------------------------------------------------- */

/* The tables of the paper's measurements. */
START_TEST(exact_sizes) {
  static const struct {
    unsigned key_bits, slot_bits, second_slot_bits;
    uint64_t log_slots;
  } cases[] = {{37, 16, 32, 27}, {41, 16, 32, 31}, {37, 32, 32, 27}, {37, 64, 64, 27}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t first = UINT64_C(1) << cases[i].log_slots, second = first / 8;
    const struct table_config config = {.key_bits = cases[i].key_bits,
                                        .slot_bits = cases[i].slot_bits,
                                        .second_slot_bits = cases[i].second_slot_bits,
                                        .bucket_slots = 32,
                                        .buckets = first / 32,
                                        .second_buckets = second / 16};
    struct table_shape shape;
    ck_assert_int_eq(table_plan(&config, &shape), FLOE_OK);
    ck_assert_uint_eq(shape.buckets, first / 32);
    ck_assert_uint_eq(shape.second_buckets, second / 16);
    ck_assert_uint_eq(shape.second_bucket_slots, 16);
    ck_assert_uint_eq(shape.slot_bits, cases[i].slot_bits);
    ck_assert_uint_eq(shape.second_slot_bits, cases[i].second_slot_bits);
    ck_assert_uint_le(shape.third_slots, first / 1000);
    ck_assert_uint_eq(shape.slots, first + second + shape.third_slots);
  }
}
END_TEST

static void secondary_width(const struct table_config *config) {
  for (unsigned bits = 16; bits <= 64; bits += bits == 16 ? 5 : bits == 21 ? 11 : 32) {
    struct table_config wanted = *config;
    struct table_shape shape;
    wanted.second_slot_bits = bits;
    if (table_plan(&wanted, &shape) != FLOE_OK)
      continue;
    ck_assert_uint_eq(shape.second_slot_bits, bits);
    struct table *table = make_table(&wanted);
    for (uint64_t i = 0; i < shape.slots; i++)
      put_one(table, key_of(table, i));
    ck_assert_uint_eq(table_check(table), 0);
    table_free(table);
  }
}

START_TEST(secondary_slots_of_the_width_asked_for) { each_map(secondary_width); }
END_TEST

/* Slots of 64 bits hold the remainder like narrow ones: the same places, wider. */
START_TEST(wide_slots_hold_remainders) {
  struct table_config config = {
      .key_bits = 24, .slots = 20000, .bucket_slots = 32, .slot_bits = 16, .second_slot_bits = 16};
  struct table *narrow = make_table(&config);
  config.slot_bits = config.second_slot_bits = 64;
  config.buckets = table_shape(narrow)->buckets;
  config.second_buckets = table_shape(narrow)->second_buckets;
  struct table *wide = make_table(&config);
  for (uint64_t i = 0; i < 17000; i++)
    ck_assert_uint_eq(put_one(narrow, key_of(narrow, i)), put_one(wide, key_of(wide, i)));
  uint64_t differ = 0, used = 0;
  for (uint64_t i = 0; i < config.buckets * 32; i++) {
    differ += slot_load(iceberg_of(narrow)->view.first, i, 16) != slot_load(iceberg_of(wide)->view.first, i, 64);
    used += slot_load(iceberg_of(wide)->view.first, i, 64) != 0;
  }
  ck_assert_uint_eq(differ, 0);
  ck_assert_uint_ge(used, 10000);
  table_free(narrow);
  table_free(wide);
}
END_TEST

START_TEST(bad_plans) {
  const struct table_config bad_ones[] = {
      {.key_bits = 30, .slots = 1000, .value_bits = 16},
      {.key_bits = 30, .slots = 1000, .value_bits = 64, .reduction = TABLE_USER_REDUCTION},
      {.key_bits = 40, .slot_bits = 16, .buckets = 1 << 10},
      {.key_bits = 40, .slot_bits = 16, .second_slot_bits = 16, .buckets = 1 << 25, .second_buckets = 1 << 20},
      {.key_bits = 30, .slots = 1000, .second_slot_bits = 8}};
  struct table *table;
  for (size_t i = 0; i < sizeof bad_ones / sizeof *bad_ones; i++)
    ck_assert_int_eq(table_create(&bad_ones[i], &table), FLOE_ERROR_USAGE);
  const struct table_config set = {.key_bits = 30, .slots = 1000};
  ck_assert_ptr_nonnull(table_cannot(&set, TABLE_GET));
  ck_assert_ptr_nonnull(table_cannot(&set, TABLE_ADD));
  const struct table_config map = {.key_bits = 30, .slots = 1000, .value_bits = 32};
  for (unsigned operation = 0; operation < TABLE_OPERATIONS; operation++)
    ck_assert((table_cannot(&map, (enum table_operation)operation) == NULL) == (operation != TABLE_DELETE));
}
END_TEST

/* ---- the first key at level 3 ------------------------------------------------------------------- */

/* Larger buckets fill further, and all reach the usual fill of iceberg tables. */
START_TEST(fill_before_level_3) {
  double before = 0;
  for (unsigned bucket = 8; bucket <= 32; bucket *= 2) {
    const struct table_config config = {.key_bits = 27,
                                        .slot_bits = 16,
                                        .bucket_slots = bucket,
                                        .buckets = (1 << 18) / bucket,
                                        .second_buckets = (1 << 15) / (bucket / 2)};
    double sum = 0;
    for (uint64_t seed = 0; seed < 3; seed++) {
      struct table_overflow overflow;
      ck_assert_int_eq(iceberg_first_overflow(&config, seed, &overflow), FLOE_OK);
      ck_assert(overflow.met);
      ck_assert_uint_eq(overflow.slots, (1 << 18) + (1 << 15));
      sum += (double)overflow.keys / (double)overflow.slots;
    }
    ck_assert_double_gt(sum / 3, before);
    before = sum / 3;
  }
  ck_assert_double_gt(before, 0.8);
  ck_assert_double_lt(before, 0.99);
}
END_TEST

START_TEST(without_a_key_at_level_3) {
  const struct table_config config = {.key_bits = 10, .slots = 4096};
  struct table_overflow overflow;
  ck_assert_int_eq(iceberg_first_overflow(&config, 1, &overflow), FLOE_OK);
  ck_assert(!overflow.met);
  ck_assert_uint_eq(overflow.keys, 1024);
  const struct table_config none = {.key_bits = 40, .slot_bits = 16, .slots = 100};
  ck_assert_int_eq(iceberg_first_overflow(&none, 1, &overflow), FLOE_ERROR_USAGE);
}
END_TEST

int main(void) {
  return RUN_IN_FORMS("iceberg map", many_times_in_a_batch, slots_are_numbered, keys_put_with_numbers_have_values,
                      what_threads_add_is_there, exact_sizes, secondary_slots_of_the_width_asked_for,
                      wide_slots_hold_remainders, bad_plans, fill_before_level_3, without_a_key_at_level_3);
}
