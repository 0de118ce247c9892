/* One thread against a reference set: every slot width, bucket size, form of the scan and kind of permutation. */
#include "table_suite.h"

#include "tables/iceberg/iceberg_forms.h"
#include "tables/permutation.h"

static const unsigned key_widths[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 37, 40, 63, 64};
enum { WIDTHS = sizeof key_widths / sizeof *key_widths, BATCH = 96 };

/* Keys of a test run: both ends, small numbers, large strides, random ones. */
static uint64_t make_key(uint64_t i, unsigned bits, uint64_t *state) {
  uint64_t mask = largest_key(bits);
  switch (i & 3) {
  case 0:
    return i >> 2 & mask;
  case 1:
    return mask - (i >> 2 & mask);
  case 2:
    return (i >> 2) << bits / 2 & mask;
  default:
    return splitmix64_next(state) & mask;
  }
}

/* Puts keys until about a tenth of a batch gets FULL, or `limit` were tried; compares every answer. */
static uint64_t fill_against_reference(struct table *table, struct reference *set, uint64_t limit) {
  const unsigned bits = table_shape(table)->key_bits;
  uint64_t state = 5, wrong = 0, refused = 0;
  for (uint64_t at = 0; at < limit && refused < BATCH; at += BATCH) {
    uint64_t keys[BATCH];
    uint8_t answers[BATCH];
    size_t full = 0, n = at % 7 ? BATCH : 1 + at % BATCH;
    for (size_t i = 0; i < n; i++)
      keys[i] = make_key(at + i, bits, &state);
    size_t told = table_find_or_put(table, keys, n, answers);
    /* Keys of level 2 are answered at the end of their block: of equal keys of a batch any may get PUT. So the
       answers of new keys are counted, not compared one by one. */
    uint64_t before = set->count, put = 0;
    for (size_t i = 0; i < n; i++) {
      bool known = reference_has(set, keys[i]);
      wrong += answers[i] > TABLE_FULL;
      wrong += answers[i] == TABLE_FULL && known;
      put += answers[i] == TABLE_PUT;
      full += answers[i] == TABLE_FULL;
      if (answers[i] != TABLE_FULL)
        reference_put(set, keys[i]);
    }
    wrong += put != set->count - before || full != told;
    refused += full;
  }
  return wrong;
}

struct comparison {
  const struct table *table;
  const struct reference *set;
  uint64_t seen, strange;
};

static void compare_keys(void *user, const uint64_t *keys, size_t n) {
  struct comparison *comparison = user;
  uint8_t answers[256];
  table_find(comparison->table, keys, n, answers);
  for (size_t i = 0; i < n; i++)
    comparison->strange += !reference_has(comparison->set, keys[i]) || answers[i] != TABLE_FOUND;
  comparison->seen += n;
}

/* Iteration visits exactly the keys of the set, each once (their number is equal, and lemma 1), in any number of
   parts. */
static void check_content(const struct table *table, const struct reference *set) {
  for (unsigned parts = 1; parts <= 5; parts += 4) {
    struct comparison comparison = {.table = table, .set = set};
    for (unsigned part = 0; part < parts; part++)
      table_each(table, part, parts, compare_keys, &comparison);
    ck_assert_uint_eq(comparison.strange, 0);
    ck_assert_uint_eq(comparison.seen, set->count);
  }
  struct table_stats stats;
  table_stats(table, &stats);
  uint64_t loads = 0;
  for (unsigned i = 0; i <= 32; i++)
    loads += i * stats.load_histogram[i];
  ck_assert_uint_eq(loads, stats.level_used[0]);
  ck_assert_uint_eq(stats.used, set->count);
  ck_assert_uint_eq(stats.slots, stats.level_slots[0] + stats.level_slots[1] + stats.level_slots[2]);
  ck_assert_uint_eq(table_count(table), set->count);
  ck_assert_uint_eq(table_check(table), 0);
}

static void check_absent(const struct table *table, const struct reference *set) {
  const unsigned bits = table_shape(table)->key_bits;
  uint64_t state = 99, wrong = 0;
  for (int i = 0; i < 2000; i++) {
    uint64_t key = splitmix64_next(&state) & largest_key(bits);
    wrong += find_one(table, key) != (reference_has(set, key) ? TABLE_FOUND : TABLE_FULL);
  }
  ck_assert_uint_eq(wrong, 0);
}

static void check_table(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t slots = table_shape(table)->slots;
  struct reference set = reference_make(slots);
  ck_assert_uint_eq(table_count(table), 0);
  ck_assert_uint_eq(find_one(table, 0), TABLE_FULL);
  ck_assert_uint_eq(fill_against_reference(table, &set, 3 * slots), 0);
  check_content(table, &set);
  check_absent(table, &set);
  ck_assert_uint_le(set.count, slots);
  reference_free(&set);
  table_free(table);
}

/* Calls `check` for every geometry that the key width allows; a slot too narrow for the key has no layout. */
static unsigned each_geometry(struct table_config config, uint64_t slots,
                              void (*check)(const struct table_config *config)) {
  unsigned tables = 0;
  for (size_t w = 0; w < SLOT_WIDTHS; w++)
    for (size_t b = 0; b < BUCKET_SIZES; b++) {
      config.slot_bits = slot_widths[w];
      config.bucket_slots = bucket_sizes[b];
      if (!plan_at_least(&config, slots))
        continue;
      check(&config);
      tables++;
    }
  return tables;
}

START_TEST(every_key_width_and_geometry) {
  unsigned tables = 0;
  for (size_t k = 0; k < WIDTHS; k++)
    tables += each_geometry((struct table_config){.key_bits = key_widths[k]}, 1500, check_table);
  ck_assert_uint_ge(tables, 100);
}
END_TEST

START_TEST(every_form_of_the_scan) {
  for (const char *const *form = simd_forms(); *form; form++)
    for (unsigned bits = 16; bits <= 24; bits += 8)
      each_geometry((struct table_config){.key_bits = bits, .simd = *form}, 3001, check_table);
}
END_TEST

START_TEST(every_permutation) {
  for (const char *const *name = permutation_names(); *name; name++)
    for (size_t k = 4; k < WIDTHS; k++)
      check_table(
          &(struct table_config){.key_bits = key_widths[k], .slots = 2000, .permutation = *name, .seed = 42 + k});
}
END_TEST

/* The identity, the worst permutation: the table is still correct. */
static uint64_t identity(void *data, unsigned number, unsigned bits, uint64_t key) {
  (void)data, (void)number, (void)bits;
  return key;
}

START_TEST(permutation_of_the_user) {
  const struct permutation_user user = {identity, identity, NULL, NULL, NULL};
  for (size_t k = 4; k < WIDTHS; k++)
    check_table(&(struct table_config){.key_bits = key_widths[k], .slots = 2000, .permutation_user = &user});
}
END_TEST

START_TEST(tiny_tables) {
  for (size_t k = 0; k < WIDTHS; k++)
    for (uint64_t slots = 0; slots < 100; slots += 9)
      each_geometry((struct table_config){.key_bits = key_widths[k]}, slots, check_table);
}
END_TEST

/* With at least as many slots as there are keys, level 1 has a place for every key. */
START_TEST(narrow_keys_all_fit) {
  for (unsigned bits = 1; bits <= 14; bits++)
    for (size_t b = 0; b < BUCKET_SIZES; b++) {
      struct table *table = make_table(&(struct table_config){
          .key_bits = bits, .bucket_slots = bucket_sizes[b], .slots = UINT64_C(1) << 30, .packed = true});
      struct table_stats stats;
      uint64_t wrong = 0;
      for (uint64_t key = 0; key <= largest_key(bits); key++)
        wrong += put_one(table, key) != TABLE_PUT;
      table_stats(table, &stats);
      ck_assert_uint_eq(wrong, 0);
      ck_assert_uint_eq(stats.level_used[0], largest_key(bits) + 1);
      table_free(table);
    }
}
END_TEST

/* 2^64 - 1 has no encoding at level 3: fills a table of 64-bit keys completely, then puts it. */
START_TEST(last_key_has_a_place_at_level_3) {
  struct table *table = make_table(&(struct table_config){.key_bits = 64, .slots = 300});
  uint64_t state = 1;
  for (int i = 0; i < 3000; i++)
    put_one(table, splitmix64_next(&state) >> 1);
  ck_assert_uint_eq(find_one(table, UINT64_MAX), TABLE_FULL);
  ck_assert_uint_eq(put_one(table, UINT64_MAX), TABLE_PUT);
  ck_assert_uint_eq(put_one(table, UINT64_MAX), TABLE_FOUND);
  ck_assert_uint_eq(find_one(table, UINT64_MAX), TABLE_FOUND);
  ck_assert_uint_eq(table_check(table), 0);
  struct table *larger = make_table(&(struct table_config){.key_bits = 64, .slots = 900});
  ck_assert_uint_eq(table_rehash(table, larger, 0, 2) + table_rehash(table, larger, 1, 2), 0);
  ck_assert_uint_eq(find_one(larger, UINT64_MAX), TABLE_FOUND);
  ck_assert_uint_eq(table_count(larger), table_count(table));
  table_free(larger);
  table_free(table);
}
END_TEST

static void check_move(const struct table *table, struct reference *set, const struct table_config *wider) {
  struct table *larger = make_table(wider);
  for (unsigned part = 0; part < 3; part++)
    ck_assert_uint_eq(table_rehash(table, larger, part, 3), 0);
  check_content(larger, set);
  check_content(table, set); /* unchanged */
  table_free(larger);
}

/* With other permutations keys move at random; with the same ones in order if the numbers of buckets are in a simple
   ratio: tests eighths from 2 to 5, and numbers nearby. */
static void check_growth(const struct table_config *config) {
  struct table *table = make_table(config);
  const struct table_shape *shape = table_shape(table);
  struct reference set = reference_make(shape->slots);
  fill_against_reference(table, &set, 2 * shape->slots);
  struct table_config wider = *config;
  wider.slots = 2 * shape->slots;
  wider.slot_bits = 0;
  wider.packed = true;
  wider.seed = config->seed + 1;
  check_move(table, &set, &wider);
  wider.seed = config->seed;
  check_move(table, &set, &wider);
  for (unsigned eighths = 16; eighths <= 40; eighths += 3) {
    wider.slots = shape->slots * eighths / 8;
    wider.multiple_of = shape->buckets % 8 ? shape->buckets : shape->buckets / 8;
    check_move(table, &set, &wider);
  }
  table_free(table);
  reference_free(&set);
}

START_TEST(growth_from_its_own_content) {
  for (size_t k = 5; k < WIDTHS; k++)
    for (uint64_t unit = 0; unit <= 8; unit += 8)
      each_geometry((struct table_config){.key_bits = key_widths[k], .multiple_of = unit}, 2000, check_growth);
}
END_TEST

/* Requested ratios are met. */
START_TEST(buckets_in_a_simple_ratio) {
  for (unsigned eighths = 9; eighths <= 32; eighths++) {
    struct table_shape before, after;
    struct table_config config = {.key_bits = 60, .slots = 100000, .multiple_of = 64};
    ck_assert_int_eq(table_plan(&config, &before), FLOE_OK);
    ck_assert_uint_eq(before.buckets % 64, 0);
    config.slots = before.slots * eighths / 8;
    config.multiple_of = before.buckets / 8;
    ck_assert_int_eq(table_plan(&config, &after), FLOE_OK);
    ck_assert_uint_eq(after.buckets % config.multiple_of, 0);
    ck_assert_uint_ge(after.slots * 12, config.slots * 11);
    ck_assert_uint_le(after.slots * 12, config.slots * 13 + 100000);
  }
}
END_TEST

START_TEST(growth_into_too_small_a_table_is_told) {
  struct table *table = make_table(&(struct table_config){.key_bits = 40, .slots = 5000});
  struct reference set = reference_make(table_shape(table)->slots);
  fill_against_reference(table, &set, 10000);
  struct table *small = make_table(&(struct table_config){.key_bits = 40, .slots = 1000});
  uint64_t refused = table_rehash(table, small, 0, 1);
  ck_assert_uint_eq(refused + table_count(small), set.count);
  check_content(table, &set);
  table_free(small);
  table_free(table);
  reference_free(&set);
}
END_TEST

START_TEST(plans) {
  struct table_shape shape;
  struct table *table;
  const struct table_config good = {.scheme = "iceberg", .key_bits = 37, .slots = 150994944};
  ck_assert_int_eq(table_plan(&good, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 16);
  ck_assert_uint_eq(shape.second_bucket_slots, shape.bucket_slots / 2);
  ck_assert_uint_ge(shape.slots, good.slots);
  ck_assert_uint_le(shape.bytes, 8 * shape.slots);
  const struct table_config fewer = {.key_bits = 37, .slots = 60000000}; /* 16-bit slots: more in less memory */
  ck_assert_int_eq(table_plan(&fewer, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 16);
  const struct table_config much_fewer = {.key_bits = 37, .slots = 10000000};
  ck_assert_int_eq(table_plan(&much_fewer, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 32);
  const struct table_config packed = {.key_bits = 37, .slots = 10000000, .packed = true};
  ck_assert_int_eq(table_plan(&packed, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 21);
  const struct table_config bad[] = {{.key_bits = 0},
                                     {.key_bits = 65},
                                     {.key_bits = 20, .scheme = "cockoo"},
                                     {.key_bits = 20, .slot_bits = 8},
                                     {.key_bits = 20, .bucket_slots = 12},
                                     {.key_bits = 40, .slot_bits = 16},
                                     {.key_bits = 64, .slot_bits = 32, .slots = 1000},
                                     {.key_bits = 20, .bucket_slots = 12, .slot_bits = 16},
                                     {.key_bits = 64, .slot_bits = 21, .slots = 1 << 20},
                                     {.key_bits = 20, .bucket_slots = 32, .slot_bits = 21},
                                     {.key_bits = 20, .permutation = "rot13"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    ck_assert_int_eq(table_create(&bad[i], &table), FLOE_ERROR_USAGE);
  const struct table_config unknown_form = {.key_bits = 20, .simd = "mmx"};
  ck_assert_int_eq(table_create(&unknown_form, &table), FLOE_ERROR_UNSUPPORTED);
  const struct table_config huge = {.key_bits = 60, .slots = UINT64_C(1) << 60};
  ck_assert_int_eq(table_create(&huge, &table), FLOE_ERROR_MEMORY);
}
END_TEST

static bool same_shape(const struct table_shape *a, const struct table_shape *b) {
  return a->key_bits == b->key_bits && a->slot_bits == b->slot_bits && a->second_slot_bits == b->second_slot_bits &&
         a->bucket_slots == b->bucket_slots && a->second_bucket_slots == b->second_bucket_slots &&
         a->buckets == b->buckets && a->second_buckets == b->second_buckets && a->third_slots == b->third_slots &&
         a->slots == b->slots && a->bytes == b->bytes;
}

/* 10 million keys take at most 3 bytes each, all levels counted, if they have at most 40 bits. */
START_TEST(three_bytes_a_key) {
  for (unsigned bits = 24; bits <= 40; bits++) {
    struct table_shape shape;
    const struct table_config config = {.key_bits = bits, .slots = 10000000 / TABLE_FILL, .packed = true};
    ck_assert_int_eq(table_plan(&config, &shape), FLOE_OK);
    ck_assert_double_le((double)shape.bytes / 1e7, bits <= 35 ? 2.6 : 3.0);
  }
}
END_TEST

/* Every compiled geometry is chosen for some keys and some size, and is correct. */
START_TEST(every_instance) {
  const struct iceberg_operations *operations = &iceberg_portable; /* all forms have the same instances */
  bool seen[ICEBERG_INSTANCE_COUNT] = {false};
  size_t count = 0;
  for (unsigned bits = 12; bits <= 64; bits++)
    for (uint64_t slots = 500; slots < 40000; slots *= 2)
      for (size_t w = 0; w < SLOT_WIDTHS; w++)
        for (size_t b = 0; b < BUCKET_SIZES; b++) {
          const struct table_config config = {
              .key_bits = bits, .slots = slots, .slot_bits = slot_widths[w], .bucket_slots = bucket_sizes[b]};
          struct table_shape shape;
          if (table_plan(&config, &shape) != FLOE_OK)
            continue;
          for (size_t i = 0; i < ICEBERG_INSTANCE_COUNT; i++) {
            const struct geometry *g = &operations->instance[i].geometry;
            if (!seen[i] && g->slot_bits == shape.slot_bits && g->bucket_slots == shape.bucket_slots &&
                g->second_slot_bits == shape.second_slot_bits && g->second_bucket_slots == shape.second_bucket_slots) {
              seen[i] = true;
              count++;
              check_table(&config);
            }
          }
        }
  ck_assert_uint_eq(count, ICEBERG_INSTANCE_COUNT);
}
END_TEST

START_TEST(every_plan_is_what_create_makes) {
  for (size_t k = 0; k < WIDTHS; k++)
    for (uint64_t slots = 1; slots < 1000000; slots = slots * 3 + 1)
      for (size_t b = 0; b <= BUCKET_SIZES; b++) {
        struct table_config config = {.key_bits = key_widths[k],
                                      .slots = slots,
                                      .packed = b < 6,
                                      .bucket_slots = b < BUCKET_SIZES ? bucket_sizes[b] : 0};
        struct table_shape shape;
        if (table_plan(&config, &shape) != FLOE_OK || shape.bytes > 100 * slots + 2000) {
          /* 12 and 24 are for slots of 21 bits only */
          ck_assert(config.bucket_slots == 12 || config.bucket_slots == 24);
          continue;
        }
        struct table *table = make_table(&config);
        ck_assert(same_shape(&shape, table_shape(table)));
        ck_assert(shape.slots >= slots || shape.buckets * shape.bucket_slots > largest_key(shape.key_bits));
        ck_assert_uint_ge(mem_live(), shape.bytes);
        table_free(table);
      }
}
END_TEST

START_TEST(memory_that_ends_is_told) {
  for (long n = 1; n <= 2; n++) {
    struct table *table = NULL;
    mem_fail_after(n);
    ck_assert_int_eq(table_create(&(struct table_config){.key_bits = 30, .slots = 100}, &table), FLOE_ERROR_MEMORY);
    ck_assert_ptr_null(table);
  }
  mem_fail_after(0);
  table_free(NULL);
}
END_TEST

int main(void) {
  return RUN_SUITE("table", every_key_width_and_geometry, every_form_of_the_scan, every_permutation,
                   permutation_of_the_user, tiny_tables, narrow_keys_all_fit, last_key_has_a_place_at_level_3,
                   growth_from_its_own_content, buckets_in_a_simple_ratio, growth_into_too_small_a_table_is_told, plans,
                   three_bytes_a_key, every_instance, every_plan_is_what_create_makes, memory_that_ends_is_told);
}
