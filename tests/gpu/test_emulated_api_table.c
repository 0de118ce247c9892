/* The hash tables of floe.h on the imitated GPU: with memory in plenty, and with so little that
   arrays are copied in pieces; and what is said where there is no GPU, or too little memory. */
#include "api_table_suite.h"
#include "emulated_suite.h"
#include "fake_parts.h"

#include "core/mem.h"
#include "gpu/seam.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the seam to the one device that there is ------------------------------------------------ */

#define MEMORY ((uint64_t)1 << 30)

static uint64_t memory = MEMORY;
static struct gpu *device;
static unsigned opened; /* devices that are open */
static bool absent;

bool gpu_may_be_there(void) { return !absent; }

floe_status gpu_acquire(unsigned number, floe_log *log, struct gpu **out, struct reason *reason) {
  (void)number, (void)log;
  if (absent) {
    reason_set(reason, "made up: no GPU");
    return FLOE_ERROR_UNSUPPORTED;
  }
  const struct fake_settings settings = {.memory = memory,
                                         .host_memory = 1 << 24,
                                         .multiprocessors = 1,
                                         .seed = 23,
                                         .stop_percent = 10};
  *out = device = fake_open(&settings);
  opened++;
  return FLOE_OK;
}

void gpu_release(struct gpu *gpu) {
  if (!gpu)
    return;
  opened--;
  ck_assert_uint_eq(fake_close(gpu), 0); /* all memory is given back */
}

void gpu_title(const struct gpu *gpu, char *out, size_t size) {
  (void)gpu;
  snprintf(out, size, "imitated GPU");
}

floe_status gpu_use(struct gpu *gpu) {
  ck_assert_ptr_eq(gpu, device);
  return FLOE_OK;
}

/* ---- a program's own memory of the device: the host's ---------------------------------------- */

static uint64_t take(size_t bytes) { return (uint64_t)(uintptr_t)malloc(bytes); }
static void give(uint64_t address) { free((void *)(uintptr_t)address); }
static void upload(uint64_t to, const void *from, size_t bytes) {
  memcpy((void *)(uintptr_t)to, from, bytes);
}
static void download(void *to, uint64_t from, size_t bytes) {
  memcpy(to, (const void *)(uintptr_t)from, bytes);
}

static floe_log *told;

static void begin(void) {
  memory = MEMORY;
  absent = false;
  ck_assert_int_eq(floe_log_create(&told), FLOE_OK);
}

static void end(void) {
  floe_log_free(told);
  ck_assert_uint_eq(opened, 0);
}

START_TEST(every_form) {
  const struct api_table_settings settings = {.log = told,
                                              .slots = 700,
                                              .alloc = take,
                                              .free = give,
                                              .upload = upload,
                                              .download = download};
  ck_assert_int_eq(api_table_suite_run(&settings), 0);
}
END_TEST

static floe_hash_options options_for(floe_engine engine) {
  floe_hash_options options;
  floe_hash_options_init(&options);
  options.engine = engine;
  options.slots = 4000;
  options.key_bits = 30;
  return options;
}

enum { MANY = 5000 };
static uint64_t keys[MANY];
static uint8_t answers[MANY];

/* Where there is no memory for all arrays at once they are copied in pieces. */
START_TEST(in_pieces) {
  const floe_hash_options options = options_for(FLOE_ENGINE_GPU);
  floe_hash_table *table;
  size_t full;
  uint64_t count;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  for (uint64_t i = 0; i < MANY; i++)
    keys[i] = i % 3000 * 77777;
  device->settings.memory = device->used + 1300 * 17;
  ck_assert_int_eq(
      floe_hash_run(table, FLOE_HASH_FIND_OR_PUT, keys, NULL, MANY, answers, &full), FLOE_OK);
  ck_assert_uint_eq(full, 0);
  ck_assert_int_eq(floe_hash_count(table, &count), FLOE_OK);
  ck_assert_uint_eq(count, 3000);
  for (size_t i = 3000; i < MANY; i++) /* in a later piece than the same key before */
    ck_assert_uint_eq(answers[i], FLOE_HASH_FOUND);
  floe_hash_free(table);
}
END_TEST

/* Memory of the device that ends is told, and nothing has changed. */
START_TEST(no_memory) {
  const floe_hash_options options = options_for(FLOE_ENGINE_GPU);
  floe_hash_table *table;
  size_t full;
  uint64_t count, key = 1;
  memory = 1000;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_ERROR_MEMORY);
  ck_assert_uint_eq(floe_log_errors(told), 1);
  ck_assert(strstr(floe_log_at(told, 0)->message, "no memory for a table of") != NULL);
  floe_log_clear(told);
  memory = MEMORY;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_PUT, &key, NULL, 1, answers, &full), FLOE_OK);
  device->settings.memory = device->used + 100;
  ck_assert_int_eq(floe_hash_resize(table, 100000), FLOE_ERROR_MEMORY);
  ck_assert_uint_eq(floe_log_errors(told), 1);
  ck_assert_int_eq(floe_hash_count(table, &count), FLOE_OK);
  ck_assert_uint_eq(count, 1);
  floe_hash_free(table);
}
END_TEST

START_TEST(no_device) {
  floe_hash_options options = options_for(FLOE_ENGINE_GPU);
  floe_hash_table *table;
  absent = true;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_ERROR_UNSUPPORTED);
  ck_assert_str_eq(floe_log_at(told, 0)->message, "made up: no GPU");
  ck_assert(floe_log_at(told, 0)->hint != NULL);
  floe_log_clear(told);
  options.engine = FLOE_ENGINE_AUTO;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  ck_assert_int_eq(floe_hash_information(table).engine, FLOE_ENGINE_CPU);
  floe_hash_free(table);
  absent = false;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  ck_assert_int_eq(floe_hash_information(table).engine, FLOE_ENGINE_GPU);
  ck_assert_str_eq(floe_hash_information(table).machine, "imitated GPU");
  floe_hash_free(table);
  ck_assert_uint_eq(floe_log_count(told), 0);
}
END_TEST

/* A launch that fails is an error of every call that follows, and freeing goes on. */
START_TEST(a_broken_device) {
  const floe_hash_options options = options_for(FLOE_ENGINE_GPU);
  floe_hash_table *table;
  size_t full = 77;
  uint64_t key = 1;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  device->settings.fail_launch = device->launches + 1;
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_PUT, &key, NULL, 1, answers, &full),
                   FLOE_ERROR_INTERNAL);
  ck_assert_uint_eq(full, 77);
  ck_assert_int_eq(floe_hash_resize(table, 9000), FLOE_ERROR_INTERNAL);
  ck_assert_int_ne(floe_hash_run(table, FLOE_HASH_FIND, &key, NULL, 1, answers, NULL), FLOE_OK);
  floe_hash_free(table);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  Suite *suite = suite_create("hash tables of floe.h on the imitated GPU");
  TCase *tcase = tcase_create("tables");
  tcase_add_checked_fixture(tcase, begin, end);
  tcase_set_timeout(tcase, 600);
  tcase_add_test(tcase, in_pieces);
  tcase_add_test(tcase, no_memory);
  tcase_add_test(tcase, no_device);
  tcase_add_test(tcase, a_broken_device);
  tcase_add_test(tcase, every_form);
  suite_add_tcase(suite, tcase);
  return emulated_run(suite);
}
