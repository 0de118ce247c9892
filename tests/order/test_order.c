/* Visited-order files through the public API: compared with a simple breadth-first search over expand_one;
   reproducible, complete with several threads, rejected when damaged, never partial. */
#include "api/api.h"
#include "core/mem.h"
#include "core/system/compress.h"
#include "order/format.h"
#include "step/stepper.h"
#include "tables/table.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/floe-order-XXXXXX";
static floe_log *messages;

static const char *at(const char *name) {
  static char path[4][64];
  static unsigned turn;
  char *to = path[turn++ % 4];
  snprintf(to, sizeof path[0], "%s/%s", folder, name);
  return to;
}

static floe_model *load(const char *name) {
  char path[1024];
  const char *top = getenv("top_srcdir");
  floe_model *model;
  snprintf(path, sizeof path, "%s/models/%s", top ? top : ".", name);
  ck_assert_int_eq(floe_model_load(path, messages, &model), FLOE_OK);
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_OK);
  return model;
}

static floe_options settings(const char *path, floe_order_kind kind, unsigned threads) {
  floe_options options;
  floe_options_init(&options);
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.count_only = true;
  options.threads = threads;
  options.memory = (uint64_t)256 << 20;
  options.visited_order = path;
  options.order_kind = kind;
  return options;
}

static floe_summary write_order(floe_model *model, const floe_options *options) {
  floe_result *result;
  ck_assert_int_eq(floe_explore(model, options, messages, &result), FLOE_OK);
  floe_summary summary = *floe_result_summary(result);
  floe_result_free(result);
  return summary;
}

/* ---- sequences of keys ----------------------------------------------------------------------- */

struct keys {
  uint64_t *list;
  size_t n, cap;
};

static void push(struct keys *keys, uint64_t key) {
  if (keys->n == keys->cap) {
    keys->cap = keys->cap ? 2 * keys->cap : 1024;
    keys->list = mem_resize(keys->list, keys->cap * sizeof *keys->list);
  }
  keys->list[keys->n++] = key;
}

static struct keys read_order(const char *path, floe_order_info *info) {
  floe_order *order;
  struct keys keys = {0};
  ck_assert_int_eq(floe_order_open(path, messages, &order), FLOE_OK);
  *info = *floe_order_information(order);
  ck_assert_uint_eq(info->key_words, 1);
  for (size_t n = 1; n > 0;) { /* chunks of odd sizes */
    uint64_t chunk[997];
    ck_assert_int_eq(floe_order_read(order, chunk, 1 + keys.n % 997, &n), FLOE_OK);
    for (size_t i = 0; i < n; i++)
      push(&keys, chunk[i]);
  }
  ck_assert_uint_eq(keys.n, info->count);
  floe_order_close(order);
  return keys;
}

/* Textbook search: a queue, successors from expand_one. */
static void search(const floe_model *model, struct keys *states, struct keys *lookups) {
  struct stepper *stepper;
  ck_assert_int_eq(interpreter_create(model->model, model->layout, &stepper), FLOE_OK);
  ck_assert_uint_le(model->layout->bits, 26);
  uint8_t *seen = mem_alloc((size_t)1 << model->layout->bits);
  uint64_t *successors = mem_array(stepper->max_successors, sizeof *successors), initial;
  struct step_edge *edges = mem_array(stepper->max_successors, sizeof *edges);
  layout_initial(model->model, model->layout, &initial);
  push(states, initial);
  push(lookups, initial);
  seen[initial] = 1;
  for (size_t i = 0; i < states->n; i++) {
    size_t n = stepper->expand_one(stepper, &states->list[i], successors, edges);
    for (size_t j = 0; j < n; j++) {
      if (edges[j].site != NO_SITE)
        continue;
      push(lookups, successors[j]);
      if (!seen[successors[j]])
        push(states, successors[j]);
      seen[successors[j]] = 1;
    }
  }
  mem_free(edges);
  mem_free(successors);
  mem_free(seen);
  stepper->free(stepper);
}

static void check_same(const struct keys *a, const struct keys *b) {
  ck_assert_uint_eq(a->n, b->n);
  size_t same = 0;
  while (same < a->n && a->list[same] == b->list[same])
    same++;
  ck_assert_msg(same == a->n, "key %zu differs", same);
}

static bool same_files(const char *a, const char *b) {
  char command[256];
  snprintf(command, sizeof command, "cmp -s %s %s", a, b);
  return system(command) == 0;
}

/* ---- one thread ------------------------------------------------------------------------------ */

static void check_kind(floe_model *model, floe_order_kind kind, const struct keys *expected, uint64_t slots,
                       bool compress) {
  floe_order_info info;
  floe_options options = settings(at("one"), kind, 1);
  options.initial_slots = slots;
  options.order_compress = compress;
  floe_summary summary = write_order(model, &options);
  struct keys keys = read_order(at("one"), &info);
  check_same(&keys, expected);
  mem_free(keys.list);
  ck_assert(info.canonical && info.complete && info.compressed == compress);
  ck_assert_uint_eq(info.threads, 1);
  ck_assert_uint_eq(info.key_bits, summary.key_bits);
  ck_assert_uint_eq(info.count, kind == FLOE_ORDER_STATES ? summary.states : summary.transitions + 1);
  ck_assert_uint_eq(info.key_bytes, (info.key_bits + 7) / 8);
}

static const char *const small_models[] = {"peterson.xml", "altbit.xml", "rwlock.xml", "hanoi.xml"};

/* Small tables grow many times during the run, and reject keys. */
START_TEST(test_canonical) {
  floe_model *model = load(small_models[_i]);
  struct keys states = {0}, lookups = {0};
  search(model, &states, &lookups);
  for (int compress = 0; compress <= compress_available(); compress++) {
    for (uint64_t slots = 1; slots <= 10000; slots *= 100) {
      check_kind(model, FLOE_ORDER_STATES, &states, slots, compress);
      check_kind(model, FLOE_ORDER_LOOKUPS, &lookups, slots, compress);
    }
  }
  mem_free(states.list);
  mem_free(lookups.list);
  floe_model_free(model);
}
END_TEST

START_TEST(test_reproducible) {
  floe_model *model = load("peterson.xml");
  floe_options one = settings(at("one"), FLOE_ORDER_STATES, 1);
  floe_options two = settings(at("two"), FLOE_ORDER_STATES, 1);
  two.initial_slots = 64;
  write_order(model, &one);
  write_order(model, &two);
  ck_assert(same_files(at("one"), at("two")));
  floe_order *order;
  ck_assert_int_eq(floe_order_open(at("one"), messages, &order), FLOE_OK);
  const floe_order_info *info = floe_order_information(order);
  ck_assert_str_eq(info->model, floe_model_name(model));
  ck_assert_str_eq(info->digest, floe_model_digest(model));
  ck_assert_str_eq(info->writer, floe_version());
  ck_assert_uint_eq(info->constants, floe_model_constants(model));
  for (size_t i = 0; i < info->constants; i++) {
    ck_assert_str_eq(floe_order_constant(order, i).name, floe_model_constant(model, i).name);
    ck_assert_int_eq(floe_order_constant(order, i).value, floe_model_constant(model, i).value);
  }
  floe_order_close(order);
  floe_model_free(model);
}
END_TEST

/* The file after an early end is a prefix of the complete one. */
START_TEST(test_early_end) {
  floe_model *model = load("peterson.xml");
  struct keys states = {0}, lookups = {0};
  search(model, &states, &lookups);
  floe_options options = settings(at("one"), FLOE_ORDER_LOOKUPS, 1);
  options.max_states = 1000;
  floe_summary summary = write_order(model, &options);
  floe_order_info info;
  struct keys keys = read_order(at("one"), &info);
  ck_assert(info.canonical && !info.complete);
  ck_assert_int_eq(info.end, FLOE_END_STATES);
  ck_assert_uint_eq(keys.n, summary.transitions + 1);
  ck_assert_uint_lt(keys.n, lookups.n);
  lookups.n = keys.n;
  check_same(&keys, &lookups);
  mem_free(keys.list);
  mem_free(states.list);
  mem_free(lookups.list);
  floe_model_free(model);
}
END_TEST

/* ---- several threads ------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void sort(struct keys *keys) { qsort(keys->list, keys->n, sizeof *keys->list, compare); }

START_TEST(test_threads) {
  floe_model *model = load("peterson.xml");
  struct keys expected[2] = {{0}, {0}};
  search(model, &expected[FLOE_ORDER_STATES], &expected[FLOE_ORDER_LOOKUPS]);
  for (unsigned kind = 0; kind < 2; kind++) {
    floe_order_info info;
    floe_options options = settings(at("one"), (floe_order_kind)kind, 3);
    options.initial_slots = 64;
    write_order(model, &options);
    struct keys keys = read_order(at("one"), &info);
    ck_assert(!info.canonical && info.complete);
    ck_assert_uint_eq(info.threads, 3);
    sort(&keys);
    sort(&expected[kind]);
    check_same(&keys, &expected[kind]);
    mem_free(keys.list);
    mem_free(expected[kind].list);
  }
  floe_model_free(model);
}
END_TEST

/* ---- write and read errors ------------------------------------------------------------------- */

static unsigned files_here(void) {
  char command[128];
  snprintf(command, sizeof command, "exit $(ls -A %s | wc -l)", folder);
  return (unsigned)WEXITSTATUS(system(command));
}

static void refused(floe_model *model, const char *path, const char *why) {
  floe_options options = settings(path, FLOE_ORDER_STATES, 1);
  floe_result *result;
  floe_log_clear(messages);
  ck_assert_int_eq(floe_explore(model, &options, messages, &result), FLOE_ERROR_IO);
  ck_assert_uint_eq(floe_log_count(messages), 1);
  ck_assert_msg(strstr(floe_log_at(messages, 0)->message, why), "%s", floe_log_at(messages, 0)->message);
}

START_TEST(test_unwritable) {
  floe_model *model = load("peterson.xml");
  refused(model, "/nowhere/at/all", "No such file");
  refused(model, folder, "Is a directory");
  refused(model, "/dev/null", "not a regular file");
  floe_model_free(model);
}
END_TEST

/* A full disk, at every stage: the existing file stays, nothing else is left, and the exploration is correct. */
START_TEST(test_full_disk) {
  floe_model *model = load("peterson.xml");
  floe_options options = settings(at("kept"), FLOE_ORDER_STATES, 1);
  const floe_summary whole = write_order(model, &options);
  ck_assert(!whole.visited_order_failed);
  ck_assert_int_eq(rename(at("kept"), at("one")), 0);
  unsigned files = files_here();
  static const rlim_t limits[] = {0, 100, 200, 1000, 14000};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = limits[i];
    setrlimit(RLIMIT_FSIZE, &limit);
    options = settings(at("full"), FLOE_ORDER_STATES, 1);
    floe_result *result;
    floe_log_clear(messages);
    floe_status status = floe_explore(model, &options, messages, &result);
    setrlimit(RLIMIT_FSIZE, &before);
    ck_assert_int_eq(status, FLOE_OK);
    const floe_summary *summary = floe_result_summary(result);
    ck_assert(summary->visited_order_failed && summary->complete);
    ck_assert_uint_eq(summary->states, whole.states);
    floe_result_free(result);
    ck_assert_uint_eq(floe_log_errors(messages), 1);
    ck_assert(strstr(floe_log_at(messages, 0)->message, "File too large"));
    ck_assert_uint_eq(files_here(), files);
  }
  floe_model_free(model);
}
END_TEST

static uint8_t *read_file(const char *path, size_t *n) {
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = mem_alloc(100000);
  *n = fread(bytes, 1, 100000, file);
  fclose(file);
  return bytes;
}

static bool is_sound(const uint8_t *bytes, size_t n) {
  FILE *file = fopen(at("damaged"), "wb");
  fwrite(bytes, 1, n, file);
  fclose(file);
  floe_order *order;
  floe_log_clear(messages);
  floe_status status = floe_order_open(at("damaged"), messages, &order);
  if (status == FLOE_OK) {
    uint64_t keys[256];
    size_t read = 1;
    while (status == FLOE_OK && read > 0)
      status = floe_order_read(order, keys, 256, &read);
    floe_order_close(order);
  }
  ck_assert_int_eq(status == FLOE_OK, floe_log_errors(messages) == 0);
  return status == FLOE_OK;
}

/* Each changed or missing byte is detected. zstd has bits without meaning: then the keys are the same. */
static void check_damage(bool compress) {
  floe_model *model = load("rwlock.xml");
  floe_options options = settings(at("one"), FLOE_ORDER_STATES, 1);
  options.max_states = 50;
  options.order_compress = compress;
  write_order(model, &options);
  size_t n;
  uint8_t *bytes = read_file(at("one"), &n);
  ck_assert(is_sound(bytes, n));
  for (size_t i = 0; i < n; i++) {
    ck_assert_msg(!is_sound(bytes, i), "cut to %zu of %zu bytes", i, n);
    bytes[i] ^= (uint8_t)(1u << i % 8);
    ck_assert_msg(!is_sound(bytes, n) || compress, "byte %zu of %zu changed", i, n);
    bytes[i] ^= (uint8_t)(1u << i % 8);
  }
  ck_assert(!is_sound(bytes, n + 1));
  mem_free(bytes);
  floe_model_free(model);
}

START_TEST(test_damage) { check_damage(false); }
END_TEST

START_TEST(test_damage_compressed) {
  if (compress_available())
    check_damage(true);
}
END_TEST

static void put32(uint8_t *bytes, uint32_t value) {
  for (unsigned i = 0; i < 4; i++)
    bytes[i] = (uint8_t)(value >> 8 * i);
}

static void put_checksum(uint8_t *at_end, const uint8_t *bytes) {
  put32(at_end, order_checksum(0, bytes, (size_t)(at_end - bytes)));
}

/* A key that is wider than the header allows, in a file with correct checksums: tables rely on the width. */
START_TEST(test_wide_keys) {
  enum { AT_SIZE = 12, AT_BITS = 24, AT_BYTES = 32 }; /* doc/order.md */
  floe_model *model = load("rwlock.xml");
  floe_options options = settings(at("one"), FLOE_ORDER_STATES, 1);
  const floe_summary summary = write_order(model, &options);
  size_t n;
  uint8_t *bytes = read_file(at("one"), &n);
  uint8_t *header_end = bytes + (bytes[AT_SIZE] | bytes[AT_SIZE + 1] << 8);
  ck_assert_uint_eq(bytes[AT_BITS], summary.key_bits);
  ck_assert_uint_ne(summary.key_bits % 8, 0);  /* otherwise there is no room for a bit above */
  header_end[bytes[AT_BYTES] * 3 - 1] |= 0x80; /* of the third key */
  put_checksum(bytes + n - 4, header_end);
  ck_assert(!is_sound(bytes, n));
  ck_assert(strstr(floe_log_at(messages, 0)->message, "more bits than its header says"));
  mem_free(bytes);
  floe_model_free(model);
}
END_TEST

/* The check value of the catalogue of CRCs, also in parts. */
START_TEST(test_checksum) {
  ck_assert_uint_eq(order_checksum(0, "123456789", 9), 0xcbf43926u);
  ck_assert_uint_eq(order_checksum(order_checksum(0, "1234", 4), "56789", 5), 0xcbf43926u);
  ck_assert_uint_eq(order_checksum(0x12345678, "", 0), 0x12345678);
}
END_TEST

START_TEST(test_nothing_leaks) {
  floe_log_free(messages);
  messages = NULL;
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

static TCase *order_tests(void) {
  TCase *tests = tcase_create("order");
  tcase_add_test(tests, test_checksum);
  tcase_add_loop_test(tests, test_canonical, 0, sizeof small_models / sizeof *small_models);
  add_tests(tests, test_reproducible, test_early_end, test_threads, test_unwritable, test_full_disk, test_damage,
            test_damage_compressed, test_wide_keys);
  tcase_add_test(tests, test_nothing_leaks); /* last */
  return tests;
}

int main(void) {
  if (!mkdtemp(folder) || floe_log_create(&messages) != FLOE_OK)
    return 99;
  const int failed = run_suite("order", CK_NOFORK, order_tests());
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) == 0 && failed == 0 ? 0 : 1;
}
