/* Cuckoo tables on an emulated GPU, several blocks at once, filled beyond the last slot: no key and no value is lost,
   and the table is well-formed. Then find-or-put of sorted keys. */
#include "tests/gpu/device/emulated_suite.h"

#include "core/arena.h"
#include "core/mem.h"
#include "gpu/jit/kernel_text.h"
#include "tables/cuckoo/cuckoo.h"
#include "tables/host_table.h"

#include "gpu/kernel/base/control.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1500, BEYOND = 70 };

struct layout {
  unsigned key_bits, slot_bits, bucket_slots, hashes;
  const char *permutation;
};

static const struct layout layouts[] = {
    {36, 32, 16, 3, NULL},       {33, 32, 32, 3, "feistel"}, {30, 32, 8, 2, NULL},  {32, 32, 16, 8, "feistel1"},
    {64, 64, 8, 3, NULL},        {50, 64, 16, 4, "feistel"}, {64, 64, 32, 3, NULL}, {64, 128, 8, 3, NULL},
    {40, 128, 16, 2, "feistel"}, {64, 128, 32, 8, NULL},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

struct work {
  struct table *table;
  struct table_config config;
  const struct emulated *module;
  bool map;
  uint64_t n, seed;
  uint64_t *given, *keys, *values;
  uint8_t *answers;
  struct arena arena;
  const char *text;
};

static uint64_t value_of(uint64_t key) { return ~key; }

static void write_text(void *data) {
  struct work *work = data;
  work->text = gpu_table_text(gpu_scheme_find("cuckoo"), &work->config, table_shape(work->table), &work->arena);
}

static void *take(uint64_t n, size_t size) {
  void *p = calloc(n, size);
  ck_assert(p != NULL);
  return p;
}

static void include_key(struct work *work, const struct permutation *p, uint64_t at, uint64_t key) {
  if (permutation_invert(p, key) >= work->n)
    work->given[at] = key;
}

/* Different keys, the smallest and the largest among them. */
static void make_keys(struct work *work) {
  struct permutation p;
  ck_assert_int_eq(permutation_make("mix", work->config.key_bits, 77, 0, NULL, &p), FLOE_OK);
  work->n = table_shape(work->table)->slots + BEYOND;
  work->given = take(work->n, sizeof *work->given);
  work->keys = take(work->n, sizeof *work->keys);
  work->values = take(work->n, sizeof *work->values);
  work->answers = take(work->n, 1);
  for (uint64_t i = 0; i < work->n; i++)
    work->given[i] = permutation_apply(&p, i);
  include_key(work, &p, 3, 0);
  include_key(work, &p, 5, p.mask);
}

static void open_work(struct work *work, const struct layout *layout) {
  *work = (struct work){.config = {.scheme = "cuckoo",
                                   .permutation = layout->permutation,
                                   .key_bits = layout->key_bits,
                                   .slots = SLOTS,
                                   .slot_bits = layout->slot_bits,
                                   .bucket_slots = layout->bucket_slots,
                                   .hashes = layout->hashes},
                        .map = layout->slot_bits == 128};
  arena_init(&work->arena);
  ck_assert_int_eq(table_create(&work->config, &work->table), FLOE_OK);
  ck_assert_int_eq(arena_guard(&work->arena, write_text, work), 0);
  work->module = emulated_build(work->text);
  ck_assert(work->module);
  make_keys(work);
}

static void close_work(struct work *work) {
  table_free(work->table);
  free(work->given);
  free(work->keys);
  free(work->values);
  free(work->answers);
  arena_free(&work->arena);
}

/* On the keys [first, first + n) of the arrays. */
static void run(struct work *work, const char *kernel, unsigned blocks, uint64_t first, uint64_t n) {
  const struct emulated_grid grid = {blocks, ++work->seed, 20};
  uint64_t *keys = work->keys + first, *values = work->map ? work->values + first : NULL;
  uint8_t *answers = work->answers + first;
  const void *const arguments[] = {&cuckoo_of(work->table)->view, &keys, &values, &n, &answers};
  emulated_launch(work->module, kernel, &grid, arguments);
}

static uint64_t count_answers(const struct work *work, uint64_t n, unsigned answer) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < n; i++)
    count += work->answers[i] == answer;
  return count;
}

/* ---- puts ----------------------------------------------------------------------------------------- */

struct keys {
  uint64_t *keys;
  uint64_t n, room;
};

static void add_keys(void *user, const uint64_t *keys, size_t n) {
  struct keys *all = user;
  ck_assert(all->n + n <= all->room);
  memcpy(all->keys + all->n, keys, n * sizeof *keys);
  all->n += n;
}

static int by_size(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The table's keys and those that came back are the given ones. */
static void check_none_lost(struct work *work) {
  struct keys all = {take(work->n, sizeof(uint64_t)), 0, work->n};
  uint64_t wrong = 0;
  table_each(work->table, 0, 1, add_keys, &all);
  for (uint64_t i = 0; i < work->n; i++)
    if (work->answers[i] == TABLE_FULL) {
      add_keys(&all, &work->keys[i], 1);
      wrong += work->map && work->values[i] != value_of(work->keys[i]);
    }
  ck_assert_uint_eq(all.n, work->n);
  qsort(all.keys, all.n, sizeof *all.keys, by_size);
  uint64_t *wanted = take(work->n, sizeof *wanted);
  memcpy(wanted, work->given, work->n * sizeof *wanted);
  qsort(wanted, work->n, sizeof *wanted, by_size);
  ck_assert_int_eq(memcmp(wanted, all.keys, work->n * sizeof *wanted), 0);
  ck_assert_uint_eq(wrong, 0);
  free(wanted);
  free(all.keys);
}

/* To nine tenths, and then more keys than there are slots. */
static void put_all(struct work *work) {
  const uint64_t slots = table_shape(work->table)->slots, most = slots / 10 * 9;
  memcpy(work->keys, work->given, work->n * sizeof *work->keys);
  for (uint64_t i = 0; i < work->n; i++)
    work->values[i] = value_of(work->keys[i]);
  memset(work->answers, 0xff, work->n);
  run(work, "floe_table_put", 3, 0, most);
  ck_assert_uint_eq(count_answers(work, most, TABLE_PUT), most);
  ck_assert_uint_eq(table_check(work->table), 0);
  run(work, "floe_table_put", 2, most, work->n - most);
  const uint64_t put = count_answers(work, work->n, TABLE_PUT);
  const uint64_t full = count_answers(work, work->n, TABLE_FULL);
  printf("%2u bits, %u permutations, slots of %3u x %2u: %llu slots, %llu keys put, %llu came back\n",
         work->config.key_bits, work->config.hashes, work->config.slot_bits, work->config.bucket_slots,
         (unsigned long long)slots, (unsigned long long)put, (unsigned long long)full);
  ck_assert_uint_eq(put + full, work->n);
  ck_assert_uint_ge(full, BEYOND);
  ck_assert_uint_eq(table_count(work->table), put);
  ck_assert_uint_eq(table_check(work->table), 0);
  check_none_lost(work);
}

/* All keys, and as many that differ from one in a bit. */
static void find_all(struct work *work) {
  uint8_t *by_cpu = take(work->n, 1);
  for (uint64_t bit = 0; bit < 2; bit++) {
    for (uint64_t i = 0; i < work->n; i++)
      work->keys[i] = work->given[i] ^ bit;
    memset(work->answers, 0xff, work->n);
    run(work, work->map ? "floe_table_get" : "floe_table_find", 2, 0, work->n);
    table_find(work->table, work->keys, work->n, by_cpu);
    ck_assert_int_eq(memcmp(by_cpu, work->answers, work->n), 0);
    for (uint64_t i = 0; work->map && i < work->n; i++)
      ck_assert(by_cpu[i] != TABLE_FOUND || work->values[i] == value_of(work->keys[i]));
  }
  free(by_cpu);
}

START_TEST(puts_and_finds) {
  struct work work;
  open_work(&work, &layouts[_i]);
  put_all(&work);
  find_all(&work);
  close_work(&work);
}
END_TEST

/* ---- find-or-put by sorting ------------------------------------------------------------------------ */

/* Repeated keys, drawn from the first `distinct`, sorted. */
static uint64_t draw_keys(struct work *work, uint64_t distinct) {
  uint64_t different = 0;
  for (uint64_t i = 0; i < work->n; i++)
    work->keys[i] = work->given[i * i % distinct];
  qsort(work->keys, work->n, sizeof *work->keys, by_size);
  for (uint64_t i = 0; i < work->n; i++)
    different += i == 0 || work->keys[i] != work->keys[i - 1];
  return different;
}

START_TEST(sorted_find_or_put) {
  struct work work;
  open_work(&work, &layouts[_i]);
  if (!work.map) {
    for (unsigned round = 0; round < 2; round++) { /* empty, and with some of the keys */
      const uint64_t before = table_count(work.table);
      const uint64_t different = draw_keys(&work, round ? 1100 : 500);
      memset(work.answers, 0xff, work.n);
      run(&work, "floe_table_find_unique", 2, 0, work.n);
      const uint64_t absent = count_answers(&work, work.n, TABLE_FULL);
      run(&work, "floe_table_put_absent", 3, 0, work.n);
      ck_assert_uint_ge(absent, different - before);
      ck_assert_uint_eq(count_answers(&work, work.n, TABLE_PUT), absent);
      ck_assert_uint_eq(count_answers(&work, work.n, TABLE_FOUND), work.n - absent);
      ck_assert_uint_eq(table_count(work.table), before + absent);
      ck_assert_uint_eq(table_check(work.table), 0);
      ck_assert(round || absent == different);
      run(&work, "floe_table_find", 2, 0, work.n);
      ck_assert_uint_eq(count_answers(&work, work.n, TABLE_FOUND), work.n);
    }
  }
  close_work(&work);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *tcase = tcase_create("layouts");
  tcase_add_loop_test(tcase, puts_and_finds, 0, LAYOUTS);
  tcase_add_loop_test(tcase, sorted_find_or_put, 0, LAYOUTS);
  return emulated_run("emulated cuckoo", tcase);
}
