/* Working-set tables with their device level on the emulated GPU: random programs against the model, for each variant
   and several schedules; and the messages if there is no GPU, no memory, or a launch fails. */
#include "tests/gpu/device/emulated_suite.h"
#include "tests/gpu/device/fake_parts.h"
#include "tests/gpu/device/fake_sorter.h"
#include "tests/tables/working_set/working_set_suite.h"

#include "core/mem.h"
#include "gpu/jit/gpu_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the seam to the one device that there is ---------------------------------------------------- */

#define MEMORY ((uint64_t)1 << 30)

static uint64_t memory = MEMORY;
static struct gpu *device;
static unsigned opened, multiprocessors = 1;
static bool absent;
static uint64_t schedule = 23;

bool gpu_driver_may_exist(void) { return !absent; }

floe_status gpu_acquire(unsigned number, const struct stop *stop, floe_log *log, struct gpu **out,
                        struct reason *reason) {
  (void)stop;
  (void)number, (void)log;
  if (absent) {
    reason_set(reason, "made up: no GPU");
    return FLOE_ERROR_UNSUPPORTED;
  }
  const struct fake_settings settings = {.memory = memory,
                                         .host_memory = 1 << 26,
                                         .multiprocessors = multiprocessors,
                                         .seed = schedule++,
                                         .stop_percent = 10};
  *out = device = fake_open(&settings);
  opened++;
  return FLOE_OK;
}

void gpu_release(struct gpu *gpu) {
  if (!gpu)
    return;
  opened--;
  ck_assert_uint_eq(fake_close(gpu), 0); /* all memory has been freed */
}

void gpu_title(const struct gpu *gpu, char *out, size_t size) {
  (void)gpu;
  snprintf(out, size, "emulated GPU");
}

floe_status gpu_use(struct gpu *gpu) { return gpu == device ? FLOE_OK : FLOE_ERROR_INTERNAL; }

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

static unsigned seeds(void) {
  const char *given = getenv("FLOE_TEST_SEEDS");
  return given ? (unsigned)atoi(given) : 1;
}

START_TEST(like_the_model) {
  const struct working_set_settings settings = {.log = told, .engine = FLOE_ENGINE_GPU, .seeds = seeds(), .calls = 12};
  ck_assert_int_eq(working_set_run(&settings, floe_hash_variant((size_t)_i)), 0);
}
END_TEST

START_TEST(with_more_blocks) {
  const struct working_set_settings settings = {.log = told, .engine = FLOE_ENGINE_GPU, .seeds = seeds(), .calls = 4};
  multiprocessors = 3;
  ck_assert_int_eq(working_set_run(&settings, "log"), 0);
  ck_assert_int_eq(working_set_compare(&settings, "log", 6000, 6000), 0);
  ck_assert_int_eq(working_set_compare(&settings, "ss", 400, 5000), 0);
  multiprocessors = 1;
}
END_TEST

/* The times of kernels and copies are reported on request. */
START_TEST(timed) {
  floe_hash_options options;
  floe_hash_traffic traffic;
  floe_hash_table *table;
  uint64_t keys[100];
  uint8_t answers[100];
  for (uint64_t i = 0; i < 100; i++)
    keys[i] = i;
  floe_hash_options_init(&options);
  options.scheme = "working-set";
  options.value_bits = 64;
  options.engine = FLOE_ENGINE_GPU;
  for (int i = 0; i < 2; i++) {
    options.timed = i == 1;
    ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
    ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_PUT, keys, NULL, 100, answers, NULL), FLOE_OK);
    ck_assert_int_eq(floe_hash_traffic_of(table, &traffic), FLOE_OK);
    ck_assert((traffic.kernel_seconds > 0) == (i == 1));
    ck_assert(traffic.copy_seconds <= traffic.seconds && traffic.kernel_seconds <= traffic.seconds);
    floe_hash_free(table);
  }
}
END_TEST

/* ---- what goes wrong ----------------------------------------------------------------------------- */

static floe_hash_options options_for(floe_engine engine) {
  floe_hash_options options;
  floe_hash_options_init(&options);
  options.scheme = "working-set";
  options.value_bits = 64;
  options.engine = engine;
  options.slots = 4000;
  options.batch = 64;
  options.threads = 1;
  return options;
}

START_TEST(without_memory) {
  const floe_hash_options options = options_for(FLOE_ENGINE_GPU);
  floe_hash_table *table;
  uint64_t key = 1, count;
  uint8_t answer;
  memory = 1000;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_ERROR_MEMORY);
  ck_assert_uint_eq(floe_log_errors(told), 1);
  ck_assert(strstr(floe_log_at(told, 0)->message, "no memory for a table of") != NULL);
  floe_log_clear(told);
  memory = MEMORY;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_PUT, &key, NULL, 1, &answer, NULL), FLOE_OK);
  device->settings.memory = device->used + 100;
  ck_assert_int_eq(floe_hash_resize(table, 100000), FLOE_ERROR_MEMORY);
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
  floe_log_clear(told);
  options.engine = FLOE_ENGINE_AUTO;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  ck_assert_int_eq(floe_hash_information(table).engine, FLOE_ENGINE_CPU);
  floe_hash_free(table);
  absent = false;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  ck_assert_int_eq(floe_hash_information(table).engine, FLOE_ENGINE_GPU);
  ck_assert_str_eq(floe_hash_information(table).machine, "emulated GPU");
  ck_assert_int_eq(floe_hash_run_on_device(table, FLOE_HASH_FIND, 8, 8, 1, 8), FLOE_ERROR_USAGE);
  ck_assert(strstr(floe_log_at(told, 0)->message, "part of the table is not on a GPU") != NULL);
  floe_hash_free(table);
}
END_TEST

START_TEST(a_broken_device) {
  const floe_hash_options options = options_for(FLOE_ENGINE_GPU);
  floe_hash_table *table;
  size_t full = 77;
  uint64_t keys[200] = {1};
  uint8_t answers[200];
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  device->settings.fail_launch = device->launches + 4; /* in the second batch */
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_PUT, keys, NULL, 200, answers, &full), FLOE_ERROR_INTERNAL);
  ck_assert_uint_eq(full, 77);
  ck_assert_int_ne(floe_hash_run(table, FLOE_HASH_FIND, keys, NULL, 1, answers, NULL), FLOE_OK);
  floe_hash_free(table);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  int variants = 0;
  while (floe_hash_variant((size_t)variants))
    variants++;
  TCase *tcase = tcase_create("working-set");
  tcase_add_checked_fixture(tcase, begin, end);
  tcase_add_loop_test(tcase, like_the_model, 0, variants);
  add_tests(tcase, with_more_blocks, timed, without_memory, no_device, a_broken_device);
  return emulated_run("working-set tables on the emulated GPU", tcase);
}
