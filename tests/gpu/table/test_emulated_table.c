/* find-or-put of a warp on an emulated GPU: every layout of the table, filled to the last slot with keys that occur
   many times, in several blocks at once; then moved to a larger table. Maps and tables with deletion in the same way.
 */
#include "base/splitmix64.h"
#include "tests/gpu/device/emulated_suite.h"

#include "core/mem.h"
#include "gpu/jit/kernel_text.h"
#include "tables/host_table.h"
#include "tables/iceberg/iceberg.h"

#include "gpu/kernel/base/control.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 3 }; /* occurrences of each key */

struct layout_case {
  unsigned key_bits, slot_bits, bucket_slots;
  uint64_t slots;
  const char *permutation;
};

/* `make check`: one for each size of slots and buckets, and each permutation. Those from MORE_CASES on:
   FLOE_TEST_LONG=1. */
static const struct layout_case cases[] = {
    {22, 16, 32, 3000, NULL}, {19, 16, 16, 1000, "feistel1"}, {17, 16, 8, 1000, NULL},
    {27, 21, 24, 2000, NULL}, {27, 21, 12, 1500, "feistel"},  {36, 32, 32, 2000, NULL},
    {36, 32, 16, 1000, NULL}, {37, 32, 8, 1000, "feistel"},   {50, 64, 16, 1000, NULL},
    {64, 64, 32, 1000, NULL}, {63, 64, 8, 600, "feistel1"},   {20, 16, 32, 1500, "feistel"},
    {22, 16, 16, 2000, NULL}, {20, 16, 8, 1000, NULL},        {30, 21, 24, 20000, NULL},
    {30, 32, 32, 1500, NULL}, {31, 32, 8, 700, NULL},         {64, 64, 8, 500, NULL},
};
enum { CASES = sizeof cases / sizeof *cases, MORE_CASES = 11 };

struct work {
  struct table *table;
  struct table_config config;
  const struct emulated *module;
  uint64_t *keys; /* n, each of `distinct` keys TIMES times */
  uint64_t n, distinct;
  uint8_t *answers;
  uint64_t random;
  struct arena arena;
  const char *text;
};

static void write_text(void *data) {
  struct work *work = data;
  const struct gpu_kernel_config config = {.key_bits = work->config.key_bits,
                                           .permutation = iceberg_of(work->table)->view.permutation[0].kind,
                                           .geometry = iceberg_of(work->table)->instance->geometry};
  work->text = gpu_kernel_text(&config, NULL, &work->arena);
}

/* Distinct keys: the permutation of the numbers from 0 on, and the largest key, which has a slot of its own. */
static void make_keys(struct work *work, uint64_t distinct) {
  work->distinct = distinct;
  work->n = distinct * TIMES;
  work->keys = malloc(work->n * sizeof *work->keys);
  work->answers = malloc(work->n);
  ck_assert(work->keys && work->answers);
  struct permutation p;
  ck_assert_int_eq(permutation_make("mix", work->config.key_bits, 77, 0, NULL, &p), FLOE_OK);
  for (uint64_t i = 0; i < work->n; i++)
    work->keys[i] = i % distinct ? permutation_apply(&p, i % distinct) : p.mask;
  for (uint64_t i = work->n; i-- > 1;) {
    const uint64_t j = splitmix64_next(&work->random) % (i + 1);
    const uint64_t key = work->keys[i];
    work->keys[i] = work->keys[j];
    work->keys[j] = key;
  }
}

static void open_work(struct work *work, const struct layout_case *given) {
  *work = (struct work){.config = {.scheme = "iceberg",
                                   .permutation = given->permutation,
                                   .key_bits = given->key_bits,
                                   .slots = given->slots,
                                   .slot_bits = given->slot_bits,
                                   .bucket_slots = given->bucket_slots},
                        .random = given->key_bits};
  arena_init(&work->arena);
  ck_assert_int_eq(table_create(&work->config, &work->table), FLOE_OK);
  ck_assert_int_eq(arena_guard(&work->arena, write_text, work), 0);
  work->module = emulated_build(work->text);
  ck_assert(work->module);
}

static void close_work(struct work *work) {
  table_free(work->table);
  free(work->keys);
  free(work->answers);
  arena_free(&work->arena);
}

static void run(struct work *work, const char *kernel, unsigned blocks, uint64_t n) {
  const struct emulated_grid grid = {blocks, splitmix64_next(&work->random), 20};
  uint64_t *keys = work->keys, *values = NULL;
  uint8_t *answers = work->answers;
  const void *const arguments[] = {&iceberg_of(work->table)->view, &keys, &values, &n, &answers};
  memset(answers, 0xff, n);
  emulated_launch(work->module, kernel, &grid, arguments);
}

static uint64_t count_answers(const struct work *work, uint64_t n, unsigned answer) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < n; i++)
    count += work->answers[i] == answer;
  return count;
}

static void check_found(struct work *work) {
  run(work, "floe_table_find", 2, work->n);
  uint8_t *by_cpu = malloc(work->n);
  ck_assert(by_cpu != NULL);
  table_find(work->table, work->keys, work->n, by_cpu);
  ck_assert_int_eq(memcmp(by_cpu, work->answers, work->n), 0);
  free(by_cpu);
}

static void move(struct work *work) {
  struct table_config config = work->config;
  struct table *larger;
  struct gpu_control *control = calloc(1, sizeof *control);
  config.slots *= 2;
  config.slot_bits = work->table->shape.slot_bits;
  ck_assert_int_eq(table_create(&config, &larger), FLOE_OK);
  if (memcmp(&iceberg_of(larger)->instance->geometry, &iceberg_of(work->table)->instance->geometry,
             sizeof(struct geometry)) == 0) {
    const struct emulated_grid grid = {2, 5, 10};
    const void *const arguments[] = {&iceberg_of(work->table)->view, &iceberg_of(larger)->view, &control};
    emulated_launch(work->module, "floe_rehash", &grid, arguments);
    ck_assert_uint_eq(control->rehash.moved, table_count(work->table));
    ck_assert_uint_eq(control->rehash.repeated + control->rehash.misplaced, 0);
    ck_assert_uint_eq(table_check(larger), 0);
    ck_assert_uint_eq(table_count(larger), control->rehash.moved);
    struct table *smaller = work->table;
    work->table = larger;
    larger = smaller;
    check_found(work);
  }
  table_free(larger);
  free(control);
}

START_TEST(every_layout) {
  struct work work;
  open_work(&work, &cases[_i]);
  const struct table_shape *shape = table_shape(work.table);
  const uint64_t most = UINT64_MAX >> (64 - shape->key_bits);
  make_keys(&work, shape->slots + 50 < most ? shape->slots + 50 : most / 2);
  run(&work, "floe_table_find_or_put", 3, work.n);
  const uint64_t put = count_answers(&work, work.n, TABLE_PUT);
  const uint64_t full = count_answers(&work, work.n, TABLE_FULL);
  struct table_stats stats;
  table_stats(work.table, &stats);
  printf("%2u bits, slots of %u x %2u and %u x %2u: %5llu slots, fill %.3f, %llu at level 2, %llu at level 3\n",
         shape->key_bits, shape->slot_bits, shape->bucket_slots, shape->second_slot_bits, shape->second_bucket_slots,
         (unsigned long long)shape->slots, (double)put / (double)shape->slots, (unsigned long long)stats.level_used[1],
         (unsigned long long)stats.level_used[2]);
  ck_assert_uint_eq(table_check(work.table), 0);
  ck_assert_uint_eq(table_count(work.table), put);
  ck_assert_uint_eq(put + full + count_answers(&work, work.n, TABLE_FOUND), work.n);
  ck_assert_uint_le(put, work.distinct);
  ck_assert(full > 0 || put == work.distinct);
  check_found(&work);
  move(&work);
  close_work(&work);
}
END_TEST

/* ---- values and deletion ---------------------------------------------------------------------------- */

struct map_case {
  unsigned key_bits, slot_bits, bucket_slots;
  uint64_t slots;
  unsigned value_bits;
  enum table_reduction reduction;
  bool deletes;
};

/* Those from MORE_MAPS on: FLOE_TEST_LONG=1. */
static const struct map_case map_cases[] = {
    {22, 16, 32, 3000, 64, TABLE_SUM, true},   {27, 21, 24, 2000, 64, TABLE_MAX, true},
    {36, 32, 32, 1500, 32, TABLE_SUM, false},  {37, 32, 8, 900, 64, TABLE_MIN, true},
    {64, 64, 8, 500, 32, TABLE_REPLACE, true}, {20, 16, 8, 1000, 0, TABLE_REPLACE, true},
    {20, 16, 16, 1500, 32, TABLE_MIN, true},   {27, 21, 12, 1500, 32, TABLE_SUM, true},
    {64, 64, 16, 900, 64, TABLE_SUM, true}};
enum { MAP_CASES = sizeof map_cases / sizeof *map_cases, MORE_MAPS = 6 };

static void write_map_text(void *data) {
  struct work *work = data;
  work->text = gpu_table_text(gpu_scheme_find("iceberg"), &work->config, table_shape(work->table), &work->arena);
}

static void open_map(struct work *work, const struct map_case *given) {
  *work = (struct work){.config = {.key_bits = given->key_bits,
                                   .slots = given->slots,
                                   .slot_bits = given->slot_bits,
                                   .bucket_slots = given->bucket_slots,
                                   .value_bits = given->value_bits,
                                   .reduction = given->reduction,
                                   .deletes = given->deletes},
                        .random = given->key_bits};
  arena_init(&work->arena);
  ck_assert_int_eq(table_create(&work->config, &work->table), FLOE_OK);
  ck_assert_int_eq(arena_guard(&work->arena, write_map_text, work), 0);
  work->module = emulated_build(work->text);
  ck_assert(work->module);
}

/* By key: the result of values added in any order. */
static uint64_t value_of(const struct work *work, uint64_t i) {
  const uint64_t mask = UINT64_MAX >> (64 - work->config.value_bits);
  return (work->config.reduction == TABLE_REPLACE ? work->keys[i] * 3 : i * 7919) & mask;
}

static uint64_t total_of(const struct work *work, uint64_t key) {
  const uint64_t mask = UINT64_MAX >> (64 - work->config.value_bits);
  uint64_t total = work->config.reduction == TABLE_MIN ? mask : 0;
  for (uint64_t i = 0; i < work->n; i++) {
    const uint64_t value = value_of(work, i);
    if (work->keys[i] != key)
      continue;
    switch (work->config.reduction) {
    case TABLE_SUM:
      total = (total + value) & mask;
      break;
    case TABLE_MIN:
      total = value < total ? value : total;
      break;
    case TABLE_MAX:
      total = value > total ? value : total;
      break;
    default:
      total = value;
    }
  }
  return total;
}

/* The table is read through another one, of a copy of its memory, as a host does with a device's. */
static void check_copy(const struct work *work, uint64_t count, uint64_t deleted) {
  const uint64_t bytes = table_shape(work->table)->bytes;
  void *memory = aligned_alloc(64, bytes);
  struct table *copy;
  struct table_stats stats;
  ck_assert(memory != NULL);
  memcpy(memory, work->table->memory, bytes);
  ck_assert_int_eq(table_open(&work->config, &copy), FLOE_OK);
  table_adopt(copy, memory);
  table_stats(copy, &stats);
  ck_assert_uint_eq(table_check(copy), 0);
  ck_assert_uint_eq(stats.used, count);
  ck_assert_uint_eq(stats.deleted, deleted);
  table_free(copy);
  free(memory);
}

static void run_map(struct work *work, const char *kernel, uint64_t *values, uint64_t n) {
  const struct emulated_grid grid = {3, splitmix64_next(&work->random), 20};
  uint64_t *keys = work->keys;
  uint8_t *answers = work->answers;
  const void *const arguments[] = {&iceberg_of(work->table)->view, &keys, &values, &n, &answers};
  memset(answers, 0xff, n);
  emulated_launch(work->module, kernel, &grid, arguments);
}

static void check_values(struct work *work, uint64_t *values) {
  uint64_t *expected = malloc(work->n * sizeof *expected), wrong = 0;
  ck_assert(expected != NULL);
  for (uint64_t i = 0; i < work->n; i++) {
    expected[i] = total_of(work, work->keys[i]);
    values[i] = value_of(work, i);
  }
  run_map(work, "floe_table_add", values, work->n);
  ck_assert_uint_eq(count_answers(work, work->n, TABLE_PUT), work->distinct);
  ck_assert_uint_eq(count_answers(work, work->n, TABLE_FOUND), work->n - work->distinct);
  memset(values, 0xee, work->n * sizeof *values);
  run_map(work, "floe_table_get", values, work->n);
  for (uint64_t i = 0; i < work->n; i++)
    wrong += work->answers[i] != TABLE_FOUND || values[i] != expected[i];
  ck_assert_uint_eq(wrong, 0);
  /* find-or-put leaves the values of keys found unchanged */
  run_map(work, "floe_table_find_or_put", values, work->n);
  ck_assert_uint_eq(count_answers(work, work->n, TABLE_FOUND), work->n);
  memset(values, 0, work->n * sizeof *values);
  table_run(work->table, TABLE_GET, work->keys, values, work->n, work->answers);
  for (uint64_t i = 0; i < work->n; i++)
    wrong += work->answers[i] != TABLE_FOUND || values[i] != expected[i];
  ck_assert_uint_eq(wrong, 0);
  free(expected);
}

/* Deletes the first half of the array, which has duplicate keys: each once. */
static void check_deletion(struct work *work) {
  const uint64_t n = work->n / 2;
  uint64_t wrong = 0;
  run_map(work, "floe_table_delete", NULL, n);
  const uint64_t gone = count_answers(work, n, TABLE_FOUND);
  ck_assert_uint_eq(count_answers(work, n, TABLE_FULL), n - gone);
  check_copy(work, work->distinct - gone, gone);
  check_found(work);
  for (uint64_t i = 0; i < n; i++)
    wrong += work->answers[i] != TABLE_FULL;
  ck_assert_uint_eq(wrong, 0);
  ck_assert_uint_gt(gone, n / TIMES);
  run_map(work, "floe_table_delete", NULL, n);
  ck_assert_uint_eq(count_answers(work, n, TABLE_FULL), n);
}

START_TEST(maps_and_deletion) {
  const struct map_case *given = &map_cases[_i];
  struct work work;
  open_map(&work, given);
  make_keys(&work, table_shape(work.table)->slots * 9 / 10);
  uint64_t *values = calloc(work.n, sizeof *values);
  ck_assert(values != NULL);
  if (given->value_bits)
    check_values(&work, values);
  else
    run_map(&work, "floe_table_put", NULL, work.n);
  check_copy(&work, work.distinct, 0);
  if (given->deletes)
    check_deletion(&work);
  free(values);
  close_work(&work);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *tcase = tcase_create("layouts");
  tcase_add_loop_test(tcase, every_layout, 0, at_length() ? CASES : MORE_CASES);
  tcase_add_loop_test(tcase, maps_and_deletion, 0, at_length() ? MAP_CASES : MORE_MAPS);
  return emulated_run("emulated table", tcase);
}
