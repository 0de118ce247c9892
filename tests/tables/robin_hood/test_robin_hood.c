/* The Robin Hood table with one thread: extreme keys, full tables, invalid configurations, distances; and that
   table_check detects damage. */
#include "tests/tables/table_model.h"

#include "tables/host_table.h"
#include "tables/robin_hood/robin_hood.h"

#include <math.h>
#include <stdio.h>

/* Neither commutative nor associative, so that the order of one thread shows. */
static uint64_t mixed(void *data, uint64_t present, uint64_t added) {
  return present * 3 + added + *(const uint64_t *)data;
}
static uint64_t mixed_data = 5;

static struct table_config config_of(unsigned key_bits, unsigned value_bits, uint64_t slots) {
  return (struct table_config){.scheme = "robin-hood",
                               .key_bits = key_bits,
                               .value_bits = value_bits,
                               .slots = slots,
                               .reduce = mixed,
                               .reduce_data = &mixed_data};
}

static unsigned add_one(struct table *table, uint64_t key, uint64_t value) {
  uint8_t answer;
  table_run(table, TABLE_ADD, &key, &value, 1, &answer);
  return answer;
}

/* The key whose permuted key is the largest number: if keys fill their half of a slot it has an extra slot. */
static uint64_t last_key(const struct table *table) {
  return permutation_invert(&robin_hood_of(table)->permutation, robin_hood_of(table)->permutation.mask);
}

/* ---- reference map ------------------------------------------------------------------------------------ */

static const struct {
  unsigned key_bits, value_bits;
} widths[] = {{1, 32},  {7, 32},  {20, 32}, {31, 32}, {32, 32}, {3, 64},
              {16, 64}, {32, 64}, {33, 64}, {47, 64}, {63, 64}, {64, 64}};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* ---- edges --------------------------------------------------------------------------------------------- */

/* 0 and the largest value are ordinary values; so are these keys. */
START_TEST(extreme_keys_and_values) {
  for (size_t w = 0; w < WIDTHS; w++) {
    struct table_config config = config_of(widths[w].key_bits, widths[w].value_bits, 5);
    struct table_model model = table_model_create(&config, 1);
    const uint64_t keys[] = {0, largest_key(config.key_bits), last_key(model.table)};
    const uint64_t values[] = {0, largest_key(config.value_bits)};
    for (unsigned i = 0; i < 12; i++) {
      table_model_call(&model, TABLE_ADD, &keys[i % 3], &values[i / 3 % 2], 1);
      table_model_check(&model);
    }
    config.slots = 70;
    table_model_move(&model, &config);
    table_model_free(&model);
  }
}
END_TEST

/* The pairs in the table and those returned are together the given ones. */
struct balance {
  uint64_t keys, sum, key_sum;
};

static void weigh(void *user, uint64_t *keys, uint64_t *values, size_t n) {
  struct balance *balance = user;
  balance->keys += n;
  for (size_t i = 0; i < n; i++) {
    balance->sum += values[i];
    balance->key_sum += keys[i];
  }
}

/* Different keys into a table with too few slots, or too few probes. Returns the number that found a place. */
static uint64_t overfill(struct table_config config, uint64_t n) {
  config.reduction = TABLE_SUM;
  struct table *table = make_table(&config);
  struct balance given = {0}, back = {0}, content = {0};
  uint8_t answer;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t state = i, value = 1 + i % 1000;
    uint64_t key = config.key_bits < 20 ? i : (splitmix64_next(&state) & largest_key(config.key_bits)) >> 1;
    if (i == n / 2 && config.key_bits >= 20)
      key = last_key(table);
    weigh(&given, &key, &value, 1);
    table_run(table, i & 1 ? TABLE_ADD : TABLE_PUT_NEW, &key, &value, 1, &answer);
    ck_assert_uint_ne(answer, TABLE_FOUND);
    if (answer != TABLE_FULL)
      continue;
    ck_assert_uint_eq(find_one(table, key), TABLE_FULL);
    weigh(&back, &key, &value, 1);
  }
  ck_assert_uint_eq(table_check(table), 0);
  robin_hood_each_pair(table, 0, 1, weigh, &content);
  ck_assert_uint_eq(content.keys + back.keys, given.keys);
  ck_assert_uint_eq(content.sum + back.sum, given.sum);
  ck_assert_uint_eq(content.key_sum + back.key_sum, given.key_sum);
  table_free(table);
  return content.keys;
}

START_TEST(full_to_the_last_slot) {
  ck_assert_uint_eq(overfill(config_of(30, 32, 1000), 1100), 1000);
  ck_assert_uint_eq(overfill(config_of(40, 64, 777), 1000), 777);
  ck_assert_uint_eq(overfill(config_of(32, 32, 1000), 1100), 1001); /* and the last key */
  ck_assert_uint_eq(overfill(config_of(64, 64, 777), 1000), 778);
  ck_assert_uint_eq(overfill(config_of(20, 32, 1), 5), 1);
}
END_TEST

/* M is the width of an address: every key of the table has a home of its own. */
START_TEST(as_many_slots_as_keys) {
  ck_assert_uint_eq(overfill(config_of(10, 32, 1024), 1023), 1023);
  ck_assert_uint_eq(overfill(config_of(10, 64, 1024), 1023), 1023);
}
END_TEST

START_TEST(few_probes) {
  uint64_t before = 0;
  for (unsigned probes = 1; probes <= 64; probes *= 4) {
    struct table_config config = config_of(32, 32, 2000);
    config.probes = probes;
    const uint64_t placed = overfill(config, 1990);
    ck_assert_uint_gt(placed, before);
    before = placed;
  }
  ck_assert_uint_gt(before, 1900);
}
END_TEST

START_TEST(what_is_refused) {
  struct table_shape shape;
  struct table_config config = config_of(33, 32, 10);
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_ERROR_USAGE);
  ck_assert_ptr_nonnull(table_cannot(&config, TABLE_ADD));
  config = config_of(20, 0, 10);
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_ERROR_USAGE);
  ck_assert_ptr_nonnull(table_cannot(&config, TABLE_FIND));
  config = config_of(20, 32, UINT64_MAX / 2);
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_ERROR_MEMORY);
  config = config_of(20, 32, 10);
  config.slot_bits = 32;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_ERROR_USAGE);
  config.slot_bits = 64;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_OK);
  config.reduction = TABLE_USER_REDUCTION;
  config.reduce = NULL;
  struct table *table;
  ck_assert_int_eq(table_create(&config, &table), FLOE_ERROR_USAGE);
  ck_assert(strstr(table_cannot(&config, TABLE_FIND_OR_PUT), "displaces"));
  ck_assert_ptr_nonnull(table_cannot(&config, TABLE_DELETE));
  for (enum table_operation o = 0; o < TABLE_OPERATIONS; o++)
    if (o != TABLE_FIND_OR_PUT && o != TABLE_DELETE)
      ck_assert_ptr_null(table_cannot(&config, o));
}
END_TEST

/* ---- the rest of the seam ------------------------------------------------------------------------------ */

/* Distances against their definition, and their mean against theory: at load a the successful search of linear
   probing reads (1 + 1 / (1 - a)) / 2 slots in the mean, and Robin Hood's as well. */
START_TEST(distances) {
  for (unsigned tenths = 1; tenths <= 9; tenths++) {
    const uint64_t slots = 200000;
    const struct table_config config = config_of(40, 64, slots);
    struct table *table = make_table(&config);
    for (uint64_t i = 0; i < slots / 10 * tenths; i++)
      ck_assert_uint_eq(add_one(table, i * 1000003, i), TABLE_PUT);
    struct robin_hood_distances found;
    robin_hood_distances(table, &found);
    uint64_t all = 0;
    for (unsigned i = 0; i < ROBIN_HOOD_DISTANCES; i++)
      all += found.histogram[i];
    ck_assert_uint_eq(all, table_count(table));
    ck_assert_uint_eq(found.keys, all);
    const double load = tenths / 10.0, expected = (1 / (1 - load) - 1) / 2;
    printf("load %.1f: mean distance %.3f (expected %.3f), variance %.2f, largest %llu\n", load, found.mean, expected,
           found.variance, (unsigned long long)found.largest);
    ck_assert(fabs(found.mean - expected) < 0.1 * expected + 0.01);
    table_free(table);
  }
}
END_TEST

/* ---- the check ---------------------------------------------------------------------------------------- */

static struct pair *pair_of(struct table *table, uint64_t slot) {
  ck_assert_uint_eq(table_shape(table)->slot_bits, 128);
  return (struct pair *)table->memory + slot;
}

START_TEST(the_check_finds_what_is_wrong) {
  const struct table_config config = config_of(20, 64, 300);
  for (unsigned kind = 0; kind < 5; kind++) {
    struct table *table = make_table(&config);
    for (uint64_t i = 0; i < 285; i++)
      add_one(table, i * 999, i);
    ck_assert_uint_eq(table_check(table), 0);
    uint64_t at = 0; /* a pair away from home, with a pair after it */
    while (!pair_of(table, at)->key || !pair_of(table, at + 1)->key ||
           robin_hood_distance(robin_hood_of(table), pair_of(table, at)->key, at) < 2)
      at++;
    const struct pair pair = *pair_of(table, at), nothing = {0, 0};
    struct robin_hood *view = (void *)table->state;
    switch (kind) {
    case 0:
      *pair_of(table, at - 1) = nothing;
      break; /* an empty slot on its way */
    case 1:
      *pair_of(table, at - 1) = pair;
      break; /* twice */
    case 2:
      pair_of(table, at)->key += UINT64_C(1) << 40;
      break; /* no such key */
    case 3:  /* a richer pair on its way */
      pair_of(table, at - 1)->key = 1 + (at - 1) + 300 * 7;
      break;
    default: /* beyond its probes */
      view->probes = 2;
    }
    ck_assert_uint_gt(table_check(table), 0);
    table_free(table);
  }
}
END_TEST

int main(void) {
  return RUN_SUITE("Robin Hood", extreme_keys_and_values, full_to_the_last_slot, as_many_slots_as_keys, few_probes,
                   what_is_refused, distances, the_check_finds_what_is_wrong);
}
