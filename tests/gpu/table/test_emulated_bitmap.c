/* Bitmaps on the emulated GPU with keys beyond 2^32 and 2^40: the memory is reserved, and only touched pages are
   allocated. Covers the operations on arrays, keys from hash tables and from arrays, and export of a part of the
   keys. */
#include "tests/gpu/device/emulated_suite.h"

#include "gpu/jit/kernel_text.h"
#include "tables/bitmap/bitmap.h"
#include "tables/iceberg/iceberg.h"
#include "tables/linear/linear.h"

#include "gpu/kernel/base/control.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const struct emulated_grid grid = {.blocks = 2, .seed = 7, .yield_percent = 10};

/* ---- a bitmap in memory that is reserved alone ---------------------------------------------------- */

struct sparse {
  struct bitmap view;
  size_t bytes;
};

static struct sparse sparse_make(unsigned key_bits) {
  struct sparse sparse = {.view.keys = (UINT64_C(1) << key_bits) + 999};
  sparse.bytes = (sparse.view.keys + 511) / 512 * 64;
  void *memory = mmap(NULL, sparse.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ck_assert(memory != MAP_FAILED);
  sparse.view.words = memory;
  return sparse;
}

static void sparse_free(struct sparse *sparse) { munmap(sparse->view.words, sparse->bytes); }

static bool has_key(const struct sparse *sparse, uint64_t key) {
  return sparse->view.words[key / BITMAP_WORD_BITS] >> key % BITMAP_WORD_BITS & 1;
}

/* Runs of keys around the powers of two and at the end; index i of the result. */
enum { RUN = 100, RUNS = 5, EDGE_KEYS = RUN * RUNS };

static uint64_t edge_key(unsigned key_bits, unsigned i) {
  const uint64_t keys = (UINT64_C(1) << key_bits) + 999, half = UINT64_C(1) << (key_bits - 1);
  const uint64_t first[RUNS] = {0, (UINT64_C(1) << 32) - RUN / 2, half - RUN / 2, (UINT64_C(1) << key_bits) - RUN / 2,
                                keys - RUN};
  return first[i / RUN] + i % RUN;
}

/* ---- texts ---------------------------------------------------------------------------------------- */

struct text_order {
  struct arena *arena;
  unsigned key_bits;
  const struct table *from; /* NULL: none */
  const char *from_scheme;
  const char *text;
};

static struct gpu_kernel_config config_of(const struct text_order *order) {
  return (struct gpu_kernel_config){
      .scheme = "bitmap", .key_bits = order->key_bits, .permutation = PERMUTATION_MIX, .geometry = {.slot_bits = 1}};
}

static void write_arrays(void *data) {
  struct text_order *order = data;
  const struct table_config config = {.scheme = "bitmap", .key_bits = order->key_bits};
  struct table_shape shape;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_OK);
  order->text = gpu_table_text(gpu_scheme_find("bitmap"), &config, &shape, order->arena);
}

static void write_content(void *data) {
  struct text_order *order = data;
  const struct gpu_kernel_config config = config_of(order);
  order->text = gpu_kernel_key_transfer_text(&config, order->arena);
}

static void write_move(void *data) {
  struct text_order *order = data;
  const struct table_shape *shape = table_shape(order->from);
  struct gpu_kernel_config config = config_of(order);
  config.from_scheme = order->from_scheme;
  config.from =
      (struct geometry){shape->slot_bits, shape->bucket_slots, shape->second_slot_bits, shape->second_bucket_slots};
  order->text = gpu_kernel_rehash_text(&config, order->arena);
}

static const struct emulated *build(struct text_order order, void (*write)(void *)) {
  struct arena arena;
  arena_init(&arena);
  order.arena = &arena;
  ck_assert_int_eq(arena_guard(&arena, write, &order), 0);
  const struct emulated *module = emulated_build(order.text);
  arena_free(&arena);
  ck_assert(module != NULL);
  return module;
}

/* ---- operations on arrays -------------------------------------------------------------------------- */

static uint64_t count_answers(const uint8_t *answers, uint64_t n, uint8_t answer) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < n; i++)
    count += answers[i] == answer;
  return count;
}

static void run(const struct emulated *module, const char *kernel, const struct sparse *table, uint64_t *keys,
                uint64_t n, uint8_t *answers) {
  uint64_t *values = NULL;
  const void *const arguments[] = {&table->view, &keys, &values, &n, &answers};
  memset(answers, 0xee, n);
  emulated_launch(module, kernel, &grid, arguments);
}

static const unsigned widths[] = {33, 40};

/* Each key occurs three times, so that several threads access one bit. */
START_TEST(operations_pass_the_edges) {
  enum { TIMES = 3, ALL = TIMES * EDGE_KEYS };
  const unsigned bits = widths[_i];
  const struct emulated *module = build((struct text_order){.key_bits = bits}, write_arrays);
  struct sparse table = sparse_make(bits);
  static uint64_t keys[ALL];
  static uint8_t answers[ALL];
  for (unsigned i = 0; i < ALL; i++)
    keys[i] = edge_key(bits, i % EDGE_KEYS);
  run(module, "floe_table_find", &table, keys, ALL, answers);
  ck_assert_uint_eq(count_answers(answers, ALL, TABLE_FULL), ALL);
  uint64_t distinct = 0;
  run(module, "floe_table_find_or_put", &table, keys, ALL, answers);
  for (unsigned i = 0; i < EDGE_KEYS; i++) {
    bool before = false; /* two of the runs may overlap */
    for (unsigned j = 0; j < i; j++)
      before |= keys[j] == keys[i];
    distinct += !before;
    ck_assert(has_key(&table, keys[i]));
  }
  ck_assert_uint_eq(count_answers(answers, ALL, TABLE_PUT), distinct);
  ck_assert_uint_eq(count_answers(answers, ALL, TABLE_FOUND), ALL - distinct);
  run(module, "floe_table_find", &table, keys, ALL, answers);
  ck_assert_uint_eq(count_answers(answers, ALL, TABLE_FOUND), ALL);
  run(module, "floe_table_delete", &table, keys, ALL, answers);
  ck_assert_uint_eq(count_answers(answers, ALL, TABLE_FOUND), distinct);
  ck_assert_uint_eq(count_answers(answers, ALL, TABLE_FULL), ALL - distinct);
  run(module, "floe_table_put", &table, keys, RUN, answers);
  ck_assert_uint_eq(count_answers(answers, RUN, TABLE_PUT), RUN);
  ck_assert(!has_key(&table, edge_key(bits, RUN)) && has_key(&table, edge_key(bits, 0)));
  sparse_free(&table);
}
END_TEST

/* Threads switch before every load and every atomic, in another order for each seed: exactly one of the threads that
   put a key gets the answer PUT, although the bits of one word change all the time. */
START_TEST(one_of_all_puts_a_key) {
  enum { KEYS = 8, ALL = 512, SEEDS = 150 };
  const struct emulated *module = build((struct text_order){.key_bits = 33}, write_arrays);
  struct sparse table = sparse_make(33);
  static uint64_t keys[ALL];
  static uint8_t answers[ALL];
  uint64_t *const given = keys, *const values = NULL, n = ALL;
  uint8_t *const said = answers;
  const void *const arguments[] = {&table.view, &given, &values, &n, &said};
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    const struct emulated_grid all_ways = {.blocks = 1, .seed = seed, .yield_percent = 100};
    unsigned put[KEYS] = {0};
    for (unsigned i = 0; i < ALL; i++)
      keys[i] = (UINT64_C(1) << 32) + (i * 7 + seed) % KEYS * 4; /* all in one word */
    table.view.words[keys[0] / BITMAP_WORD_BITS] = 0;
    emulated_launch(module, "floe_table_find_or_put", &all_ways, arguments);
    for (unsigned i = 0; i < ALL; i++) {
      ck_assert(answers[i] == TABLE_PUT || answers[i] == TABLE_FOUND);
      put[(keys[i] - (UINT64_C(1) << 32)) / 4] += answers[i] == TABLE_PUT;
    }
    for (unsigned i = 0; i < KEYS; i++)
      ck_assert_uint_eq(put[i], 1);
  }
  sparse_free(&table);
}
END_TEST

/* ---- to a bitmap and out of it ----------------------------------------------------------------------- */

/* The table's keys of [first, first + n), in order; returns their number. */
static uint64_t export_part(const struct emulated *module, const struct sparse *table, uint64_t first, uint64_t n,
                            uint64_t *out) {
  const uint64_t strips = n / GPU_STRIP;
  uint64_t *keys = malloc(n * sizeof *keys), count = 0;
  uint32_t *counts = calloc(strips, sizeof *counts);
  const void *const arguments[] = {&table->view, &first, &n, &keys, &counts};
  ck_assert(keys && counts);
  emulated_launch(module, "floe_export_keys", &grid, arguments);
  for (uint64_t i = 0; i < strips; i++) {
    ck_assert_uint_le(counts[i], GPU_STRIP);
    memcpy(out + count, keys + i * GPU_STRIP, counts[i] * sizeof *keys);
    count += counts[i];
  }
  free(keys);
  free(counts);
  return count;
}

START_TEST(keys_are_loaded_and_exported) {
  const unsigned bits = widths[_i];
  const struct emulated *module = build((struct text_order){.key_bits = bits}, write_content);
  struct sparse table = sparse_make(bits);
  static uint64_t out[4 * GPU_STRIP], keys[RUN];
  const uint64_t *given = keys;
  struct gpu_control *control = calloc(1, sizeof *control);
  const uint64_t n = RUN;
  const void *const arguments[] = {&table.view, &given, &n, &control};
  ck_assert(control != NULL);
  for (unsigned i = 0; i < RUN; i++)
    keys[i] = edge_key(bits, EDGE_KEYS - RUN + i); /* up to the last possible key */
  emulated_launch(module, "floe_import_keys", &grid, arguments);
  ck_assert(control->rehash.moved == RUN && control->rehash.repeated == 0 && control->rehash.misplaced == 0);
  emulated_launch(module, "floe_import_keys", &grid, arguments);
  ck_assert(control->rehash.moved == RUN && control->rehash.repeated == RUN && control->rehash.misplaced == 0);
  const uint64_t first = (table.view.keys - RUN) / GPU_STRIP * GPU_STRIP - GPU_STRIP;
  ck_assert_uint_eq(export_part(module, &table, first, 4 * (uint64_t)GPU_STRIP, out), RUN); /* and beyond them */
  ck_assert_mem_eq(out, keys, sizeof keys);
  ck_assert_uint_eq(export_part(module, &table, 0, GPU_STRIP, out), 0);
  free(control);
  sparse_free(&table);
}
END_TEST

static const void *view_of(const struct table *table) {
  return table->scheme == &linear_scheme ? (const void *)&linear_of(table)->view : &iceberg_of(table)->view;
}

static const struct {
  const char *scheme;
  unsigned slot_bits, bits;
} from[] = {{"iceberg", 32, 32}, {"iceberg", 64, 40}, {"linear", 64, 40}};

/* From tables that are nearly full, so that all their parts have keys. */
START_TEST(keys_move_to_a_bitmap) {
  enum { SLOTS = EDGE_KEYS + EDGE_KEYS / 8 };
  const unsigned bits = from[_i].bits;
  const struct table_config config = {
      .scheme = from[_i].scheme, .key_bits = bits + 1, .slots = SLOTS, .slot_bits = from[_i].slot_bits};
  struct table *hash;
  uint64_t keys[EDGE_KEYS];
  uint8_t answers[EDGE_KEYS];
  ck_assert_int_eq(table_create(&config, &hash), FLOE_OK);
  for (unsigned i = 0; i < EDGE_KEYS; i++)
    keys[i] = edge_key(bits, i);
  ck_assert_uint_eq(table_find_or_put(hash, keys, EDGE_KEYS, answers), 0);
  const uint64_t distinct = table_count(hash);
  const struct emulated *module =
      build((struct text_order){.key_bits = bits + 1, .from = hash, .from_scheme = from[_i].scheme}, write_move);
  struct sparse table = sparse_make(bits);
  struct gpu_control *control = calloc(1, sizeof *control);
  const void *const arguments[] = {view_of(hash), &table.view, &control};
  ck_assert(control != NULL);
  emulated_launch(module, "floe_rehash", &grid, arguments);
  ck_assert_uint_eq(control->rehash.moved, distinct);
  ck_assert(control->rehash.repeated == 0 && control->rehash.misplaced == 0);
  for (unsigned i = 0; i < EDGE_KEYS; i++)
    ck_assert(has_key(&table, keys[i]));
  free(control);
  sparse_free(&table);
  table_free(hash);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *tcase = tcase_create("edges");
  tcase_add_loop_test(tcase, operations_pass_the_edges, 0, 2);
  tcase_add_test(tcase, one_of_all_puts_a_key);
  tcase_add_loop_test(tcase, keys_are_loaded_and_exported, 0, 2);
  tcase_add_loop_test(tcase, keys_move_to_a_bitmap, 0, 3);
  return emulated_run("emulated bitmaps", tcase);
}
