/* Compact cuckoo tables in one thread: fill, layouts, damage, and the sort of find-or-put. */
#include "tests/tables/table_suite.h"

#include "tables/cuckoo/cuckoo.h"
#include "tables/host_table.h"
#include "tables/radix_sort.h"

static const unsigned buckets[] = {8, 16, 32};

/* ---- how full it gets ------------------------------------------------------------------------------- */

/* Random keys one after the other; the fill at the first FULL. */
static double first_full(const struct table_config *config) {
  struct table *table = make_table(config);
  const uint64_t slots = table_shape(table)->slots;
  uint64_t state = config->seed, put = 0;
  size_t full = 0;
  while (!full && put < slots) {
    uint64_t keys[64];
    uint8_t answers[64];
    for (int i = 0; i < 64; i++)
      keys[i] = splitmix64_next(&state) >> 14; /* 50 bits: different, except with probability 2^-15 */
    full = table_run(table, TABLE_PUT_NEW, keys, NULL, 64, answers);
    put += 64 - full;
  }
  ck_assert_uint_eq(table_count(table), put);
  table_free(table);
  return (double)put / (double)slots;
}

START_TEST(fill_reached) {
  static const double wanted[] = {0.93, 0.95, 0.95};
  for (uint64_t seed = 0; seed < 6; seed++)
    for (size_t b = 0; b < 3; b++) {
      const struct table_config config = {
          .scheme = "cuckoo", .key_bits = 50, .slots = 1 << 18, .bucket_slots = buckets[b], .hashes = 3, .seed = seed};
      ck_assert_double_ge(first_full(&config), wanted[b]);
    }
}
END_TEST

/* ---- what the check finds ---------------------------------------------------------------------------- */

static uint64_t *slot_at(struct table *table, struct cuckoo_target target, unsigned i) {
  return (uint64_t *)table->memory + target.bucket * table->shape.bucket_slots + i;
}

START_TEST(the_check_finds) {
  struct table *table =
      make_table(&(struct table_config){.scheme = "cuckoo", .key_bits = 20, .slots = 4000, .slot_bits = 64});
  const struct cuckoo_geometry g = {64, table->shape.bucket_slots, 3};
  uint64_t key = 12345;
  uint8_t answer;
  table_run(table, TABLE_PUT_NEW, &key, NULL, 1, &answer);
  ck_assert_uint_eq(table_check(table), 0);
  /* a key in its second bucket, while the first one is not full */
  struct cuckoo_target target = cuckoo_aim(&cuckoo_of(table)->view, 777, 1, g);
  *slot_at(table, target, 3) = target.wanted;
  ck_assert_uint_eq(table_check(table), 1);
  *slot_at(table, target, 3) = 0;
  /* the same key twice, in one bucket */
  target = cuckoo_aim(&cuckoo_of(table)->view, key, 0, g);
  *slot_at(table, target, 5) = target.wanted;
  ck_assert_uint_eq(table_check(table), 2);
  /* a remainder that no key has */
  *slot_at(table, target, 5) = UINT64_MAX;
  ck_assert_uint_eq(table_check(table), 1);
  *slot_at(table, target, 5) = 0;
  ck_assert_uint_eq(table_check(table), 0);
  table_free(table);
}
END_TEST

/* ---- find-or-put by sorting -------------------------------------------------------------------------- */

START_TEST(sorting) {
  enum { N = 5000 };
  static struct numbered items[N], other[N];
  for (unsigned bits = 1; bits <= 64; bits += 7) {
    uint64_t state = bits, wrong = 0;
    for (uint64_t i = 0; i < N; i++)
      items[i] = (struct numbered){splitmix64_next(&state) & largest_key(bits), i};
    const struct numbered *sorted = radix_sort(items, other, N, bits);
    uint8_t seen[N] = {0};
    for (unsigned i = 0; i < N; i++) {
      wrong += seen[sorted[i].number]++ != 0;
      wrong += i && (sorted[i - 1].key > sorted[i].key ||
                     (sorted[i - 1].key == sorted[i].key && sorted[i - 1].number > sorted[i].number));
    }
    ck_assert_uint_eq(wrong, 0);
  }
}
END_TEST

START_TEST(sorting_without_memory_does_nothing) {
  struct table *table = make_table(&(struct table_config){.scheme = "cuckoo", .key_bits = 30, .slots = 100});
  uint64_t key = 5;
  uint8_t answer = 99;
  size_t full = 99;
  mem_fail_after(1);
  ck_assert_int_eq(cuckoo_sorted_find_or_put(table, &key, NULL, 1, &answer, &full), FLOE_ERROR_MEMORY);
  mem_fail_after(0);
  ck_assert_uint_eq(answer, 99);
  ck_assert_uint_eq(full, 99);
  ck_assert_int_eq(cuckoo_sorted_find_or_put(table, &key, NULL, 0, &answer, &full), FLOE_OK);
  ck_assert_uint_eq(full, 0);
  ck_assert_uint_eq(table_count(table), 0);
  table_free(table);
}
END_TEST

/* ---- layouts ------------------------------------------------------------------------------------------ */

static floe_status plan(struct table_config config, struct table_shape *shape) {
  config.scheme = "cuckoo";
  return table_plan(&config, shape);
}

START_TEST(plans) {
  struct table_shape shape;
  const uint64_t slots = UINT64_C(1) << 27;
  ck_assert_int_eq(plan((struct table_config){.key_bits = 37, .slots = slots}, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 32);
  ck_assert_uint_eq(shape.slots, slots);
  ck_assert_uint_eq(shape.bytes, 4 * slots);
  ck_assert_uint_eq(shape.hashes, 3);
  ck_assert_uint_eq(shape.value_bits, 0);
  ck_assert_int_eq(plan((struct table_config){.key_bits = 64, .slots = slots}, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 64);
  ck_assert_uint_eq(shape.bytes, 8 * slots);
  ck_assert_int_eq(plan((struct table_config){.key_bits = 64, .slots = slots, .value_bits = 64}, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 128);
  ck_assert_uint_eq(shape.bytes, 16 * slots);
  ck_assert_int_eq(plan((struct table_config){.key_bits = 64, .slots = slots, .slot_bits = 128}, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.value_bits, 64);
  const struct table_config none[] = {{.key_bits = 64, .slots = slots, .slot_bits = 32},
                                      {.key_bits = 37, .slots = slots, .slot_bits = 16},
                                      {.key_bits = 37, .slots = slots, .bucket_slots = 24},
                                      {.key_bits = 37, .slots = slots, .hashes = 9},
                                      {.key_bits = 37, .slots = slots, .hashes = 1},
                                      {.key_bits = 37, .slots = slots, .value_bits = 32},
                                      {.key_bits = 37, .slots = slots, .value_bits = 64, .slot_bits = 64},
                                      {.key_bits = 0, .slots = slots},
                                      {.key_bits = 65, .slots = slots}};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    ck_assert_int_eq(plan(none[i], &shape), FLOE_ERROR_USAGE);
  ck_assert_int_eq(plan((struct table_config){.key_bits = 64, .slots = UINT64_MAX}, &shape), FLOE_ERROR_MEMORY);
}
END_TEST

START_TEST(what_it_cannot_do) {
  const struct table_config set = {.scheme = "cuckoo", .key_bits = 30, .slots = 100};
  const struct table_config map = {.scheme = "cuckoo", .key_bits = 30, .slots = 100, .value_bits = 64};
  ck_assert_ptr_null(table_cannot(&set, TABLE_FIND));
  ck_assert_ptr_null(table_cannot(&set, TABLE_PUT_NEW));
  ck_assert_ptr_nonnull(strstr(table_cannot(&set, TABLE_FIND_OR_PUT), "evicted"));
  ck_assert_ptr_nonnull(strstr(table_cannot(&set, TABLE_ADD), "evicted"));
  ck_assert_ptr_nonnull(strstr(table_cannot(&set, TABLE_DELETE), "emptied"));
  ck_assert_ptr_nonnull(strstr(table_cannot(&set, TABLE_GET), "no values"));
  ck_assert_ptr_null(table_cannot(&map, TABLE_GET));
  struct table *table = NULL;
  struct table_config vector = set;
  vector.simd = "none such";
  ck_assert_int_eq(table_create(&vector, &table), FLOE_ERROR_UNSUPPORTED);
  ck_assert_ptr_null(table);
}
END_TEST

int main(void) {
  return RUN_SUITE("cuckoo", fill_reached, the_check_finds, sorting, sorting_without_memory_does_nothing, plans,
                   what_it_cannot_do);
}
