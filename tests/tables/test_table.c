/* Iceberg tables: plans, growth in order, narrow keys and the last key. */
#include "table_model.h"

#include "tables/iceberg/iceberg_forms.h"

static const unsigned key_widths[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 37, 40, 63, 64};
enum { WIDTHS = sizeof key_widths / sizeof *key_widths };

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

/* With other permutations keys move at random; with the same ones in order if the numbers of buckets are in a simple
   ratio: tests eighths from 2 to 5, and numbers nearby. */
static void check_growth(const struct table_config *config) {
  struct table_model model = table_model_create(config, 2);
  const struct table_shape *shape = table_shape(model.table);
  struct table_config wider = *config;
  table_model_operate(&model, 2 * shape->slots);
  wider.slot_bits = 0;
  wider.packed = true;
  for (unsigned eighths = 16; eighths <= 40; eighths += 3) {
    wider.slots = shape->slots * eighths / 8;
    wider.multiple_of = shape->buckets % 8 ? shape->buckets : shape->buckets / 8;
    table_model_move(&model, &wider);
  }
  table_model_check(&model); /* unchanged */
  table_model_free(&model);
}

static void each_geometry(struct table_config config, uint64_t slots,
                          void (*check)(const struct table_config *config)) {
  for (size_t w = 0; w < SLOT_WIDTHS; w++)
    for (size_t b = 0; b < BUCKET_SIZES; b++) {
      config.slot_bits = slot_widths[w];
      config.bucket_slots = bucket_sizes[b];
      if (plan_at_least(&config, slots))
        check(&config);
    }
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
              check_beside_model(&config, 2);
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

int main(void) {
  return RUN_SUITE("table", narrow_keys_all_fit, last_key_has_a_place_at_level_3, growth_from_its_own_content,
                   buckets_in_a_simple_ratio, plans, three_bytes_a_key, every_instance,
                   every_plan_is_what_create_makes);
}
