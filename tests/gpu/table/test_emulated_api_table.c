/* The hash tables of floe_tables.h on the emulated GPU: with ample memory, and with so little that arrays are copied
   in sections; and the messages if there is no GPU, or too little memory. */
#include "api_table_suite.h"
#include "tests/gpu/device/emulated_suite.h"
#include "tests/gpu/device/fake_parts.h"
#include "tests/gpu/device/fake_sorter.h"
#include "tests/tables/api/reserved_suite.h"

#include "core/mem.h"
#include "gpu/jit/gpu_api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the seam to the one device that there is ------------------------------------------------ */

#define MEMORY ((uint64_t)1 << 30)

static uint64_t memory = MEMORY;
static struct gpu *device;
static unsigned opened; /* devices that are open */
static bool absent;

bool gpu_driver_may_exist(void) { return !absent; }

floe_status gpu_acquire(unsigned number, const struct stop *stop, floe_log *log, struct gpu **out,
                        struct reason *reason) {
  (void)stop;
  (void)number, (void)log;
  if (absent) {
    reason_set(reason, "made up: no GPU");
    return FLOE_ERROR_UNSUPPORTED;
  }
  const struct fake_settings settings = {
      .memory = memory, .host_memory = 1 << 24, .multiprocessors = 1, .seed = 23, .stop_percent = 10};
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

static bool lingers;      /* delays gpu_use, so that other threads arrive */
static atomic_uint users; /* threads in it */
static atomic_bool met;   /* two at once */

floe_status gpu_use(struct gpu *gpu) {
  if (atomic_fetch_add(&users, 1) > 0)
    met = true;
  if (lingers)
    nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
  atomic_fetch_sub(&users, 1);
  return gpu == device ? FLOE_OK : FLOE_ERROR_INTERNAL;
}

/* ---- a program's own memory of the device: the host's ---------------------------------------- */

static uint64_t take(size_t bytes) { return (uint64_t)(uintptr_t)malloc(bytes); }
static void give(uint64_t address) { free((void *)(uintptr_t)address); }
static void upload(uint64_t to, const void *from, size_t bytes) { memcpy((void *)(uintptr_t)to, from, bytes); }
static void download(void *to, uint64_t from, size_t bytes) { memcpy(to, (const void *)(uintptr_t)from, bytes); }

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

/* A part of the forms; all with FLOE_TEST_LONG=1. */
START_TEST(every_form) {
  const struct api_table_settings settings = {.log = told,
                                              .slots = 700,
                                              .part = !at_length(),
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

/* Without memory for all arrays at once, they are copied in sections. */
START_TEST(in_pieces) {
  const floe_hash_options options = options_for(FLOE_ENGINE_GPU);
  floe_hash_table *table;
  size_t full;
  uint64_t count;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  for (uint64_t i = 0; i < MANY; i++)
    keys[i] = i % 3000 * 77777;
  device->settings.memory = device->used + 1300 * 17;
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_FIND_OR_PUT, keys, NULL, MANY, answers, &full), FLOE_OK);
  ck_assert_uint_eq(full, 0);
  ck_assert_int_eq(floe_hash_count(table, &count), FLOE_OK);
  ck_assert_uint_eq(count, 3000);
  for (size_t i = 3000; i < MANY; i++) /* in a later section than the same key before */
    ck_assert_uint_eq(answers[i], FLOE_HASH_FOUND);
  for (uint64_t i = 0; i < MANY; i++)
    keys[i] = (i < 2000 ? i : i + 4000) * 77777;
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_FIND, keys, NULL, MANY, answers, &full), FLOE_OK);
  ck_assert_uint_eq(full, MANY - 2000); /* of all sections */
  floe_hash_free(table);
}
END_TEST

/* Keys, each twice, come back sorted with their answers, in sections. */
START_TEST(cuckoo_by_sorting) {
  floe_hash_options options = options_for(FLOE_ENGINE_GPU);
  floe_hash_table *table;
  static unsigned fresh[MANY]; /* answers NEW for each number */
  size_t full;
  uint64_t count;
  options.scheme = "cuckoo";
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  for (uint64_t i = 0; i < MANY; i++)
    keys[i] = i * 7919 % 5000 / 2 * 77777;
  device->settings.memory = device->used + 1300 * 25;
  ck_assert_int_eq(floe_hash_find_or_put_sorted(table, keys, NULL, MANY, answers, &full), FLOE_OK);
  ck_assert_uint_eq(full, 0);
  for (size_t i = 0; i < MANY; i++)
    fresh[keys[i] / 77777] += answers[i] == FLOE_HASH_NEW;
  for (size_t i = 0; i < 2500; i++)
    ck_assert_uint_eq(fresh[i], 1);
  ck_assert_int_eq(floe_hash_count(table, &count), FLOE_OK);
  ck_assert_uint_eq(count, 2500);
  for (uint64_t i = 0; i < MANY; i++) /* one half is new, and has no slot */
    keys[i] = i % 2 ? (i % 2500) * 77777 : (i + 3000) * 77777;
  ck_assert_int_eq(floe_hash_find_or_put_sorted(table, keys, NULL, MANY, answers, &full), FLOE_OK);
  ck_assert_uint_gt(full, 0);
  for (size_t i = 0, none = 0; i < MANY; i++) {
    none += answers[i] == FLOE_HASH_NONE;
    ck_assert(i + 1 < MANY || none == full);
  }
  unsorted = true;
  ck_assert_int_eq(floe_hash_find_or_put_sorted(table, keys, NULL, MANY, answers, &full), FLOE_ERROR_UNSUPPORTED);
  unsorted = false;
  ck_assert_str_eq(floe_log_at(told, 0)->message, "made up: nothing sorts");
  floe_hash_free(table);
  options.value_bits = 64;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  ck_assert_int_eq(floe_hash_find_or_put_sorted(table, keys, NULL, MANY, answers, &full), FLOE_ERROR_USAGE);
  floe_hash_free(table);
}
END_TEST

/* Concurrent calls are serialised: the device belongs to one thread at a time. */
enum { THREADS = 4, KEYS_EACH = 300 };

struct caller {
  pthread_t thread;
  floe_hash_table *table;
  uint64_t keys[KEYS_EACH];
  uint8_t answers[KEYS_EACH];
  floe_status status;
  size_t full;
};

static void *call(void *user) {
  struct caller *caller = user;
  for (int round = 0; round < 3 && caller->status == FLOE_OK; round++)
    caller->status = floe_hash_run(caller->table, FLOE_HASH_FIND_OR_PUT, caller->keys, NULL, KEYS_EACH, caller->answers,
                                   &caller->full);
  return NULL;
}

START_TEST(threads_take_turns) {
  static struct caller callers[THREADS];
  const floe_hash_options options = options_for(FLOE_ENGINE_GPU);
  floe_hash_table *table;
  uint64_t count;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  lingers = true;
  for (uint64_t i = 0; i < THREADS; i++) {
    callers[i] = (struct caller){.table = table};
    for (uint64_t k = 0; k < KEYS_EACH; k++)
      callers[i].keys[k] = (i * KEYS_EACH + k) * 77777;
    ck_assert_int_eq(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(callers[i].thread, NULL);
    ck_assert_int_eq(callers[i].status, FLOE_OK);
    for (int k = 0; k < KEYS_EACH; k++)
      ck_assert_uint_eq(callers[i].answers[k], FLOE_HASH_FOUND); /* in the last round */
  }
  lingers = false;
  ck_assert(!met);
  ck_assert_int_eq(floe_hash_count(table, &count), FLOE_OK);
  ck_assert_uint_eq(count, THREADS * KEYS_EACH);
  floe_hash_free(table);
}
END_TEST

/* The slots are in the requested place. */
START_TEST(in_the_hosts_memory) {
  for (int host = 0; host < 2; host++) {
    floe_hash_options options = options_for(FLOE_ENGINE_GPU);
    floe_hash_table *table;
    options.host_memory = host == 1;
    ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
    const uint64_t bytes = floe_hash_information(table).bytes;
    ck_assert_uint_eq(device->used, host ? 0 : bytes);
    ck_assert_uint_eq(device->host_used, host ? bytes : 0);
    floe_hash_free(table);
  }
}
END_TEST

/* Out of device memory is logged, and the table is unchanged. */
START_TEST(without_memory) {
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
  ck_assert_str_eq(floe_hash_information(table).machine, "emulated GPU");
  floe_hash_free(table);
  ck_assert_uint_eq(floe_log_count(told), 0);
}
END_TEST

/* A failed launch makes every later call fail; freeing still works. */
START_TEST(a_broken_device) {
  const floe_hash_options options = options_for(FLOE_ENGINE_GPU);
  floe_hash_table *table;
  size_t full = 77;
  uint64_t key = 1;
  ck_assert_int_eq(floe_hash_create(&options, told, &table), FLOE_OK);
  device->settings.fail_launch = device->launches + 1;
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_PUT, &key, NULL, 1, answers, &full), FLOE_ERROR_INTERNAL);
  ck_assert_uint_eq(full, 77);
  ck_assert_int_eq(floe_hash_resize(table, 9000), FLOE_ERROR_INTERNAL);
  ck_assert_int_ne(floe_hash_run(table, FLOE_HASH_FIND, &key, NULL, 1, answers, NULL), FLOE_OK);
  floe_hash_free(table);
}
END_TEST

START_TEST(reserved_values) { reserved_suite_run(FLOE_ENGINE_GPU, told); }
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *tcase = tcase_create("tables");
  tcase_add_checked_fixture(tcase, begin, end);
  add_tests(tcase, in_pieces, cuckoo_by_sorting, threads_take_turns, in_the_hosts_memory, without_memory, no_device,
            a_broken_device, every_form, reserved_values);
  return emulated_run("hash tables of floe_tables.h on the emulated GPU", tcase);
}
