/* Shared parts of the checks of tables on a device: one table with its arrays, operations on them, and its content. */
#ifndef FLOE_TEST_TABLE_WORK_H
#define FLOE_TEST_TABLE_WORK_H

#include "table_suite.h"

#include "core/status.h"
#include "gpu/kernel/table/number_keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNTOUCHED = 0xee };

/* ---- one table and its arrays ------------------------------------------------------------------------ */

struct work {
  const struct suite_settings *settings;
  struct gpu *gpu;
  struct gpu_bench_kernels *tools;
  struct table_config config;
  struct gpu_table *table;
  uint64_t n, room;                /* of the arrays */
  uint64_t *keys, *values, *given; /* given: the keys before the operation */
  uint8_t *answers;
  gpu_address on_keys, on_values, on_answers;
  struct gpu_answers said;
  uint8_t *content; /* how often number i is in the table */
  uint64_t numbers;
  uint64_t strangers; /* keys of other numbers in the table */
  bool no_values;     /* the operation of a map gets no values */
  int failures;
};

static inline void give_up(const struct work *work, const char *what) {
  printf("%s\n", what);
  for (size_t i = 0; i < floe_log_count(work->settings->log); i++)
    printf("  %s\n", floe_log_at(work->settings->log, i)->message);
  exit(99);
}

static inline void must(const struct work *work, floe_status status, const char *what) {
  if (status != FLOE_OK)
    give_up(work, what);
}

static inline void *take(const struct work *work, uint64_t bytes) {
  void *p = calloc(1, bytes ? bytes : 1);
  if (!p)
    give_up(work, "no memory");
  return p;
}

static inline void expect(struct work *work, bool holds, const char *operation, const char *what) {
  if (holds)
    return;
  printf("  FAILED: %s of keys of %u bits, slots of %u x %u, values of %u, reduction %d: %s: %s (%" PRIu64
         " keys: %" PRIu64 " found, %" PRIu64 " put, %" PRIu64 " full, %" PRIu64 " without answer)\n",
         work->config.scheme, work->config.key_bits, work->config.slot_bits, work->config.bucket_slots,
         work->config.value_bits, (int)work->config.reduction, operation, what, work->n, work->said.found,
         work->said.put, work->said.full, work->said.others);
  work->failures++;
}

static inline void free_arrays(struct work *work) {
  gpu_free(work->gpu, work->on_keys);
  gpu_free(work->gpu, work->on_values);
  gpu_free(work->gpu, work->on_answers);
  free(work->keys);
  free(work->values);
  free(work->given);
  free(work->answers);
  work->on_keys = work->on_values = work->on_answers = 0;
  work->keys = work->values = work->given = NULL;
  work->answers = NULL;
  work->room = 0;
}

static inline void arrays(struct work *work, uint64_t n) {
  const uint64_t bytes = n * sizeof(uint64_t);
  work->n = n;
  if (n <= work->room)
    return;
  free_arrays(work);
  work->room = n;
  work->keys = take(work, bytes);
  work->values = take(work, bytes);
  work->given = take(work, bytes);
  work->answers = take(work, n);
  must(work, gpu_alloc(work->gpu, bytes, &work->on_keys), "no device memory");
  must(work, gpu_alloc(work->gpu, bytes, &work->on_values), "no device memory");
  must(work, gpu_alloc(work->gpu, n, &work->on_answers), "no device memory");
}

static inline bool has(const struct work *work, enum table_operation operation) {
  const int arch = gpu_information(work->gpu)->arch;
  return gpu_table_cannot(&work->config, arch, operation) == NULL;
}

static const char *const by_sorting = "find-or-put of sorted keys"; /* of cuckoo tables */

static inline floe_status start_sorted(struct work *work) {
  FLOE_TRY(gpu_table_start(work->table, "floe_table_find_unique", work->on_keys, 0, work->n, work->on_answers));
  return gpu_table_start(work->table, "floe_table_put_absent", work->on_keys, 0, work->n, work->on_answers);
}

/* Runs an operation on the arrays' keys (and values) of the host. `operation` NULL: find-or-put of sorted keys. */
static inline void run_any(struct work *work, const enum table_operation *operation) {
  const uint64_t bytes = work->n * sizeof(uint64_t);
  const gpu_address values = work->config.value_bits && !work->no_values ? work->on_values : 0;
  memcpy(work->given, work->keys, bytes);
  must(work, gpu_upload(work->gpu, work->on_keys, work->keys, bytes), "upload");
  must(work, gpu_upload(work->gpu, work->on_values, work->values, bytes), "upload");
  must(work, gpu_fill(work->gpu, work->on_answers, UNTOUCHED, work->n), "fill");
  must(work,
       operation ? gpu_table_run(work->table, *operation, work->on_keys, values, work->n, work->on_answers)
                 : start_sorted(work),
       "launch");
  must(work, gpu_answers_count(work->tools, work->on_answers, work->n, &work->said), "count");
  must(work, gpu_download(work->gpu, work->keys, work->on_keys, bytes), "download");
  must(work, gpu_download(work->gpu, work->values, work->on_values, bytes), "download");
  must(work, gpu_download(work->gpu, work->answers, work->on_answers, work->n), "download");
  const char *name = operation ? table_operation_name(*operation) : by_sorting;
  expect(work, work->said.others == 0, name, "every key has an answer");
  uint64_t counts[256] = {0};
  for (uint64_t i = 0; i < work->n; i++)
    counts[work->answers[i]]++;
  expect(work,
         counts[TABLE_FOUND] == work->said.found && counts[TABLE_PUT] == work->said.put &&
             counts[TABLE_FULL] == work->said.full,
         name, "the answers are counted right");
}

static inline void run(struct work *work, enum table_operation operation) { run_any(work, &operation); }

/* Every number of [first, first + count) `times` times, in the device's order. */
static inline void make_keys(struct work *work, uint64_t first, uint64_t count, uint64_t times) {
  const struct gpu_keys what = {
      .key_bits = work->config.key_bits, .first = first, .count = count, .seed = count + times};
  uint64_t distinct = 0;
  arrays(work, count * times);
  must(work, gpu_keys_make(work->tools, &what, work->on_keys, work->n), "keys");
  must(work, gpu_keys_distinct(work->tools, &what, work->on_keys, work->n, &distinct), "distinct");
  must(work, gpu_download(work->gpu, work->keys, work->on_keys, work->n * sizeof(uint64_t)), "download");
  expect(work, distinct == count, "keys", "every number comes");
  memset(work->values, 0, work->n * sizeof(uint64_t));
}

static inline uint64_t number_of(const struct work *work, uint64_t key) { return gather(work->config.key_bits, key); }

/* ---- what is in the table ----------------------------------------------------------------------------- */

static inline void visit(void *user, const uint64_t *keys, size_t n) {
  struct work *work = user;
  for (size_t i = 0; i < n; i++) {
    const uint64_t number = number_of(work, keys[i]);
    if (number < work->numbers)
      work->content[number] += work->content[number] < 255;
    else
      work->strangers++;
  }
}

/* Copies the table back and counts its numbers below `numbers`. Free the result. */
static inline struct table *look_into(struct work *work, uint64_t numbers, const char *operation) {
  struct table *host;
  must(work, gpu_table_download(work->table, &host), "download of the table");
  expect(work, table_check(host) == 0, operation, "the table is well-formed");
  free(work->content);
  work->content = take(work, numbers);
  work->numbers = numbers;
  work->strangers = 0;
  table_each(host, 0, 3, visit, work);
  table_each(host, 1, 3, visit, work);
  table_each(host, 2, 3, visit, work);
  expect(work, work->strangers == 0, operation, "the table has no other keys");
  return host;
}

/* The table contains exactly the numbers of [first, end), each once. */
static inline void check_content(struct work *work, uint64_t first, uint64_t end, const char *operation) {
  struct table *host = look_into(work, end, operation);
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < end; i++)
    wrong += work->content[i] != (i >= first);
  expect(work, wrong == 0, operation, "the table has the keys that were put, each once");
  expect(work, table_count(host) == end - first, operation, "as many keys as were put");
  table_free(host);
}

/* FOUND for all numbers of [first, first + count), or for none. */
static inline void check_find(struct work *work, uint64_t first, uint64_t count, bool present) {
  if (!has(work, TABLE_FIND) || count == 0)
    return;
  make_keys(work, first, count, 1);
  run(work, TABLE_FIND);
  expect(work, (present ? work->said.found : work->said.full) == count, "find",
         present ? "present keys are found" : "absent keys are not found");
  expect(work, memcmp(work->keys, work->given, work->n * sizeof(uint64_t)) == 0, "find", "the keys stay as they are");
}

static inline void clear(struct work *work) {
  must(work, gpu_table_clear(work->table, work->config.seed + 1), "clear");
}

#endif
