/* Robin Hood tables on the emulated GPU under the most displacement: nearly full, full, with few probes; sums, and a
   user-defined reduction, must be exact, and no pair may be lost. (table_suite.c has the requirements on every
   table.) */
#include "base/splitmix64.h"
#include "tests/gpu/device/emulated_suite.h"

#include "core/mem.h"
#include "gpu/jit/kernel_text.h"
#include "tables/host_table.h"
#include "tables/robin_hood/robin_hood.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 3, /* occurrences of each key */ OFTEN = 700, SEEDS = 4, BLOCKS = 2 };

struct work {
  struct table_config config;
  struct table *table;
  struct robin_hood view;
  struct permutation scatter;
  const struct emulated *module;
  struct arena arena;
  const char *text;
  uint64_t distinct, n;
  uint64_t *keys, *values, *due, *back; /* due, back: by number, of all additions and of the values that came back */
  uint8_t *answers;
  uint64_t random;
};

/* Commutative and associative: bitwise or; the device has an equivalent text. */
#define BOTH_TEXT "(present & added) ^ (present ^ added)"
static uint64_t both(void *data, uint64_t present, uint64_t added) {
  (void)data;
  return present | added;
}

static uint64_t combined(const struct work *work, uint64_t a, uint64_t b) {
  const uint64_t mask = UINT64_MAX >> (64 - work->config.value_bits);
  return work->config.reduction == TABLE_SUM ? (a + b) & mask : both(NULL, a, b);
}

static void write_text(void *data) {
  struct work *work = data;
  work->text = gpu_table_text(gpu_scheme_find("robin-hood"), &work->config, table_shape(work->table), &work->arena);
}

static void open_work(struct work *work, const struct table_config *config, double fill, uint64_t times) {
  *work = (struct work){.config = *config, .random = config->key_bits + config->slots};
  arena_init(&work->arena);
  ck_assert_int_eq(table_create(config, &work->table), FLOE_OK);
  ck_assert_uint_eq(table_place(work->table, work->table->memory, &work->view), sizeof work->view);
  ck_assert_int_eq(permutation_make("mix", config->key_bits, 77, 1, NULL, &work->scatter), FLOE_OK);
  ck_assert_int_eq(arena_guard(&work->arena, write_text, work), 0);
  work->module = emulated_build(work->text);
  ck_assert(work->module != NULL);
  work->distinct = (uint64_t)((double)config->slots * fill);
  work->n = work->distinct * times;
  work->keys = calloc(work->n, sizeof *work->keys);
  work->values = calloc(work->n, sizeof *work->values);
  work->due = calloc(work->distinct, sizeof *work->due);
  work->back = calloc(work->distinct, sizeof *work->back);
  work->answers = malloc(work->n);
  ck_assert(work->keys && work->values && work->due && work->back && work->answers);
}

static void close_work(struct work *work) {
  table_free(work->table);
  free(work->keys);
  free(work->values);
  free(work->due);
  free(work->back);
  free(work->answers);
  arena_free(&work->arena);
}

/* Numbers are scattered over the permuted keys, except two: number 0 has a slot of its own, and number 1 is the one
   stored as the same word elsewhere. */
static uint64_t key_of(const struct work *work, uint64_t number) {
  const uint64_t last = work->view.permutation.mask;
  const uint64_t permuted = number > 1 ? permutation_apply(&work->scatter, number) : number ? 0 : last;
  return permutation_invert(&work->view.permutation, permuted);
}

static uint64_t number_of(const struct work *work, uint64_t key) {
  const uint64_t permuted = permutation_apply(&work->view.permutation, key);
  if (permuted == 0 || permuted == work->view.permutation.mask)
    return permuted == 0;
  return permutation_invert(&work->scatter, permuted);
}

/* Each number equally often, in an order that depends on the seed. */
static void make_pairs(struct work *work) {
  for (uint64_t i = 0; i < work->n; i++)
    work->keys[i] = key_of(work, i % work->distinct);
  for (uint64_t i = work->n; i-- > 1;) {
    const uint64_t j = splitmix64_next(&work->random) % (i + 1), key = work->keys[i];
    work->keys[i] = work->keys[j];
    work->keys[j] = key;
  }
  memset(work->due, 0, work->distinct * sizeof *work->due);
  memset(work->back, 0, work->distinct * sizeof *work->back);
  for (uint64_t i = 0; i < work->n; i++) {
    uint64_t *due = &work->due[number_of(work, work->keys[i])];
    work->values[i] = UINT64_C(1) << splitmix64_next(&work->random) % work->config.value_bits;
    *due = combined(work, *due, work->values[i]);
  }
}

static void run(struct work *work, const char *kernel, uint64_t n) {
  const struct emulated_grid grid = {BLOCKS, splitmix64_next(&work->random), 30};
  const void *const arguments[] = {&work->view, &work->keys, &work->values, &n, &work->answers};
  memset(work->answers, 0xff, n);
  emulated_launch(work->module, kernel, &grid, arguments);
}

static uint64_t count(const struct work *work, unsigned answer) {
  uint64_t n = 0;
  for (uint64_t i = 0; i < work->n; i++)
    n += work->answers[i] == answer;
  return n;
}

static uint64_t take_back(struct work *work) {
  uint64_t keys = 0;
  for (uint64_t i = 0; i < work->n; i++) {
    if (work->answers[i] != TABLE_FULL)
      continue;
    const uint64_t number = number_of(work, work->keys[i]);
    ck_assert_uint_lt(number, work->distinct);
    ck_assert_uint_ne(work->values[i], 0);
    keys += work->back[number] == 0;
    work->back[number] = combined(work, work->back[number], work->values[i]);
  }
  return keys;
}

/* With the kernel, one thread or more after the phase. */
static void check_values(struct work *work) {
  for (uint64_t i = 0; i < work->distinct; i++) {
    work->keys[i] = key_of(work, i);
    work->values[i] = 0;
  }
  run(work, "floe_table_get", work->distinct);
  for (uint64_t i = 0; i < work->distinct; i++) {
    const bool came_back = work->back[i] != 0;
    ck_assert_uint_eq(work->answers[i], came_back ? TABLE_FULL : TABLE_FOUND);
    ck_assert_uint_eq(came_back ? work->back[i] : work->values[i], work->due[i]);
  }
  uint8_t *got = malloc(work->distinct);
  ck_assert(got != NULL);
  memcpy(got, work->answers, work->distinct);
  run(work, "floe_table_find", work->distinct);
  ck_assert_int_eq(memcmp(got, work->answers, work->distinct), 0);
  free(got);
}

/* Returns the number of keys that came back. */
static uint64_t add_all(const struct table_config *config, double fill, uint64_t times) {
  struct work work;
  uint64_t all_back = 0;
  open_work(&work, config, fill, times);
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    memset(work.table->memory, 0, table_shape(work.table)->bytes);
    make_pairs(&work);
    run(&work, "floe_table_add", work.n);
    const uint64_t put = count(&work, TABLE_PUT), back = take_back(&work);
    ck_assert_uint_eq(put + count(&work, TABLE_FOUND) + count(&work, TABLE_FULL), work.n);
    ck_assert_uint_eq(table_check(work.table), 0);
    ck_assert_uint_eq(table_count(work.table), put);
    ck_assert_uint_eq(put + back, work.distinct);
    check_values(&work);
    all_back += back;
  }
  struct robin_hood_distances distances;
  robin_hood_distances(work.table, &distances);
  printf("%2u and %u bits, %llu slots, %llu keys, reduction %d: mean distance %.1f, largest %llu, %llu back\n",
         config->key_bits, config->value_bits, (unsigned long long)config->slots, (unsigned long long)work.distinct,
         (int)config->reduction, distances.mean, (unsigned long long)distances.largest, (unsigned long long)all_back);
  close_work(&work);
  return all_back;
}

static const struct { unsigned key_bits, value_bits; } widths[] = {{32, 32}, {21, 32}, {64, 64}, {40, 64}};
enum { WIDTHS = sizeof widths / sizeof *widths };

static struct table_config config_of(int width, uint64_t slots, enum table_reduction reduction) {
  return (struct table_config){.scheme = "robin-hood",
                               .key_bits = widths[width].key_bits,
                               .value_bits = widths[width].value_bits,
                               .slots = slots,
                               .reduction = reduction,
                               .reduce = both,
                               .reduce_text = BOTH_TEXT};
}

START_TEST(nearly_full) {
  struct table_config config = config_of(_i, 500, TABLE_SUM);
  ck_assert_uint_eq(add_all(&config, 0.97, TIMES), 0);
  config.reduction = TABLE_USER_REDUCTION;
  ck_assert_uint_eq(add_all(&config, 0.97, TIMES), 0);
}
END_TEST

START_TEST(more_keys_than_slots) {
  const struct table_config config = config_of(_i, 200, TABLE_SUM);
  ck_assert_uint_gt(add_all(&config, 1.2, TIMES), 0);
}
END_TEST

START_TEST(few_probes) {
  struct table_config config = config_of(_i, 400, TABLE_USER_REDUCTION);
  config.probes = 5;
  ck_assert_uint_gt(add_all(&config, 0.95, TIMES), 0);
}
END_TEST

/* All threads add to three keys at once, one of which has a slot of its own: they combine within their block. */
START_TEST(frequent_keys) {
  struct table_config config = config_of(_i, 300, TABLE_SUM);
  ck_assert_uint_eq(add_all(&config, 0.01, OFTEN), 0);
  config.reduction = TABLE_USER_REDUCTION;
  ck_assert_uint_eq(add_all(&config, 0.01, OFTEN), 0);
}
END_TEST

/* The keys are displaced in the meantime, and come back with the combined values. */
START_TEST(frequent_keys_without_room) {
  struct table_config config = config_of(_i, 40, TABLE_SUM);
  config.probes = 3;
  ck_assert_uint_gt(add_all(&config, 1.2, OFTEN / 20), 0);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *tcase = tcase_create("additions");
  tcase_add_loop_test(tcase, nearly_full, 0, WIDTHS);
  tcase_add_loop_test(tcase, more_keys_than_slots, 0, WIDTHS);
  tcase_add_loop_test(tcase, few_probes, 0, WIDTHS);
  tcase_add_loop_test(tcase, frequent_keys, 0, WIDTHS);
  tcase_add_loop_test(tcase, frequent_keys_without_room, 0, WIDTHS);
  return emulated_run("emulated Robin Hood", tcase);
}
