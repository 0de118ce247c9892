/* Measurements of bench/device/gpu.c on the emulated GPU: every scheme and operation is measured with correct answers,
   or rejected with a reason; a wrong answer would be a verdict. */
#include "tests/gpu/device/emulated_suite.h"
#include "tests/gpu/device/fake_parts.h"
#include "tests/gpu/device/fake_sorter.h"

#include "bench/device/gpu.h"
#include "bench/measure/bench.h"
#include "core/mem.h"
#include "gpu/jit/gpu_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the seam to the one device that there is ------------------------------------------------ */

#define MEMORY ((uint64_t)1 << 30)

static uint64_t memory = MEMORY; /* of the device, and page-locked */
static struct gpu *device;
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
  const struct fake_settings settings = {.memory = memory, .host_memory = memory, .multiprocessors = 1, .seed = 7};
  *out = device = fake_open(&settings);
  return FLOE_OK;
}

void gpu_release(struct gpu *gpu) {
  if (gpu)
    ck_assert_uint_eq(fake_close(gpu), 0); /* all memory has been freed */
}

void gpu_title(const struct gpu *gpu, char *out, size_t size) {
  (void)gpu;
  snprintf(out, size, "emulated GPU");
}

floe_status gpu_use(struct gpu *gpu) { return gpu == device ? FLOE_OK : FLOE_ERROR_INTERNAL; }

floe_status gpu_memory(struct gpu *gpu, uint64_t *free_bytes, uint64_t *total) {
  *total = memory;
  *free_bytes = memory - gpu->used;
  return FLOE_OK;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static bool never(void) { return false; }

static floe_log *told;
static floe_bench bench;

static void open_bench(void) {
  struct reason reason;
  ck_assert_int_eq(floe_log_create(&told), FLOE_OK);
  bench = (floe_bench){.log = told, .interrupted = never};
  ck_assert_int_eq(bench_gpu_open(0, NULL, told, &bench.device, &bench.engine, &reason), FLOE_OK);
}

static void close_bench(void) {
  bench.device->release(bench.engine);
  floe_log_free(told);
}

static floe_bench_result measure(floe_bench_case what) {
  floe_bench_result result;
  what.slots = what.slots ? what.slots : 512;
  what.repetitions = 1;
  case_complete(&bench, &what);
  floe_status status = bench_measure(&bench, &what, &result);
  if (floe_log_count(told))
    printf("%s\n", floe_log_at(told, 0)->message);
  ck_assert_int_eq(status, FLOE_OK);
  return result;
}

/* Measured, and therefore correct; or rejected with a reason. */
static bool assert_sound(floe_bench_case what) {
  floe_bench_result result = measure(what);
  printf("%-10s %-11s %2u-bit slots, %2u-bit values: %s %s\n", what.table, floe_bench_operation_name(what.operation),
         result.slot_bits, what.value_bits, floe_bench_verdict_name(result.verdict), result.why);
  if (result.verdict == FLOE_BENCH_MEASURED) {
    ck_assert(result.rate > 0);
    return true;
  }
  ck_assert_msg(result.verdict == FLOE_BENCH_REFUSED, "%s", floe_bench_verdict_name(result.verdict));
  ck_assert_str_ne(result.why, "");
  return false;
}

/* Values of 64 bits where 32 are possible: FLOE_TEST_LONG=1. */
START_TEST(every_operation_of_every_table) {
  const unsigned values[] = {0, 32, 64};
  unsigned measured[FLOE_BENCH_ADD + 1] = {0};
  open_bench();
  for (size_t i = 0; floe_bench_table(i); i++)
    for (size_t v = 0; v < (at_length() || strcmp(floe_bench_table(i), "cuckoo") == 0 ? 3 : 2); v++)
      for (int o = FLOE_BENCH_PUT; o <= FLOE_BENCH_ADD; o++)
        measured[o] += assert_sound((floe_bench_case){.table = floe_bench_table(i),
                                                      .operation = (floe_bench_operation)o,
                                                      .before = o == FLOE_BENCH_PUT ? 0.2 : 0.5,
                                                      .after = 0.7,
                                                      .positive = 0.5,
                                                      .value_bits = values[v]});
  for (int o = FLOE_BENCH_PUT; o <= FLOE_BENCH_ADD; o++)
    ck_assert_uint_gt(measured[o], 0);
  close_bench();
}
END_TEST

START_TEST(keys_of_all_kinds) {
  uint64_t keys[] = {5, 9, 5, 70, 9, 9, 1000, 0, 5, 1023}, first[] = {0x2cb};
  open_bench();
  ck_assert(assert_sound(
      (floe_bench_case){.table = "iceberg", .operation = FLOE_BENCH_FIND_OR_PUT, .after = 0.7, .times = 5}));
  ck_assert(assert_sound(
      (floe_bench_case){.table = "iceberg", .operation = FLOE_BENCH_FIND_OR_PUT, .after = 0.7, .zipf = 1}));
  ck_assert(assert_sound((floe_bench_case){.table = "linear",
                                           .operation = FLOE_BENCH_ADD,
                                           .after = 0.6,
                                           .times = 10,
                                           .value_bits = 32,
                                           .reduction = "sum"}));
  ck_assert(assert_sound(
      (floe_bench_case){.table = "iceberg", .operation = FLOE_BENCH_FIND_OR_PUT, .after = 0.6, .host_memory = true}));
  bench.keys = (struct bench_keys){keys, first, 10, 6, 10, NULL};
  ck_assert_int_eq(bench_keys_list(&bench.keys), FLOE_OK);
  const floe_bench_operation operations[] = {FLOE_BENCH_FIND_OR_PUT, FLOE_BENCH_PUT, FLOE_BENCH_FIND,
                                             FLOE_BENCH_DELETE};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    ck_assert(assert_sound(
        (floe_bench_case){.table = "linear", .operation = operations[i], .slot_bits = 32, .from_file = true}));
  mem_free(bench.keys.different);
  ck_assert(assert_sound(
      (floe_bench_case){.table = "iceberg", .operation = FLOE_BENCH_FIND, .before = 0.7, .positive = 0.5, .zipf = 1}));
  close_bench();
}
END_TEST

/* A static table finds or puts sorted keys, and is rejected if nothing sorts. */
START_TEST(cuckoo_by_sorting) {
  const floe_bench_case what = {.table = "cuckoo", .operation = FLOE_BENCH_FIND_OR_PUT, .before = 0.2, .after = 0.8};
  open_bench();
  ck_assert(assert_sound(what));
  close_bench();
  unsorted = true;
  open_bench();
  floe_bench_result result = measure(what);
  unsorted = false;
  ck_assert_int_eq(result.verdict, FLOE_BENCH_REFUSED);
  ck_assert(strstr(result.why, "made up: nothing sorts") != NULL);
  close_bench();
}
END_TEST

/* Keys without a slot come back from the device and are checked. */
START_TEST(full_tables_are_looked_at) {
  const floe_bench_case what = {
      .table = "cuckoo", .operation = FLOE_BENCH_PUT, .after = 1, .hashes = 2, .slot_bits = 32, .bucket_slots = 8};
  open_bench();
  floe_bench_result result = measure(what);
  ck_assert_msg(result.verdict == FLOE_BENCH_FULL, "%s: %s", floe_bench_verdict_name(result.verdict), result.why);
  ck_assert_uint_gt(result.full, 0);
  ck_assert_uint_eq(result.full + result.put, result.keys);
  close_bench();
}
END_TEST

START_TEST(ceilings_of_both_memories) {
  struct bench_ceilings found = {0};
  open_bench();
  for (int place = BENCH_AT_HOME; place <= BENCH_ON_HOST; place++) {
    const uint64_t taken = device->host_peak;
    found = (struct bench_ceilings){0};
    ck_assert_int_eq(
        bench.device->measure_ceilings(bench.engine, (enum bench_place)place, 1 << 16, 1u << BENCH_READ, &found),
        FLOE_OK);
    ck_assert(found.rates[BENCH_READ] > 0 && found.rates[BENCH_SWAP_16] == 0);
    ck_assert((device->host_peak > taken) == (place == BENCH_ON_HOST));
  }
  close_bench();
}
END_TEST

/* ---- what is kept ---------------------------------------------------------------------------- */

/* Kernels that are compiled for a measurement. */
static uint64_t builds_for(floe_bench_case what) {
  const uint64_t before = fake_counts(device).builds;
  ck_assert(assert_sound(what));
  return fake_counts(device).builds - before;
}

/* The same table at other fill factors, with other operations, in another place and back. */
START_TEST(tables_are_kept) {
  const floe_bench_case put = {.table = "iceberg", .operation = FLOE_BENCH_PUT, .after = 0.5};
  floe_bench_case more = put, look = put, hosted = put, other = put, map = put, deleting = put;
  more.after = 0.7;
  look.operation = FLOE_BENCH_FIND;
  look.before = 0.5;
  look.positive = 0.5;
  hosted.host_memory = true;
  other.slot_bits = 32;
  map.value_bits = 32;
  deleting.operation = FLOE_BENCH_DELETE;
  deleting.before = deleting.positive = 0.5;
  open_bench();
  ck_assert_uint_eq(builds_for(put), 1);
  ck_assert_uint_eq(builds_for(more), 0);
  ck_assert_uint_eq(builds_for(look), 0);
  ck_assert_uint_eq(builds_for(hosted), 1);
  ck_assert_uint_eq(builds_for(put), 0);
  ck_assert_uint_eq(builds_for(hosted), 0);
  ck_assert_uint_eq(builds_for(other), 1);
  ck_assert_uint_eq(builds_for(map), 1);
  ck_assert_uint_eq(builds_for(deleting), 1);
  ck_assert_uint_eq(builds_for(put), 1);
  close_bench();
}
END_TEST

/* Cached memory that leaves too little is released: everything that was measured alone is measured. */
START_TEST(what_is_kept_makes_way) {
  const floe_bench_case cases[] = {
      {.table = "cuckoo", .operation = FLOE_BENCH_FIND_OR_PUT, .before = 0.2, .after = 0.8},
      {.table = "iceberg", .operation = FLOE_BENCH_FIND_OR_PUT, .after = 0.7, .times = 20},
      {.table = "iceberg", .operation = FLOE_BENCH_PUT, .after = 0.1, .slots = 8192, .slot_bits = 64},
      {.table = "iceberg", .operation = FLOE_BENCH_PUT, .after = 0.9, .host_memory = true},
      {.table = "linear", .operation = FLOE_BENCH_ADD, .after = 0.6, .times = 3, .value_bits = 32, .reduction = "sum"},
      {.table = "iceberg", .operation = FLOE_BENCH_FIND_OR_PUT, .after = 0.7, .zipf = 1},
      {.table = "cuckoo", .operation = FLOE_BENCH_FIND_OR_PUT, .after = 0.6, .slots = 1024},
  };
  enum { CASES = sizeof cases / sizeof *cases };
  uint64_t alone = 0, together = 0;
  for (int i = 0; i < CASES; i++) {
    open_bench();
    ck_assert(assert_sound(cases[i]));
    alone = device->used > alone ? device->used : alone;
    close_bench();
  }
  open_bench();
  for (int i = 0; i < CASES; i++) {
    ck_assert(assert_sound(cases[i]));
    together = device->used > together ? device->used : together;
  }
  close_bench();
  memory = alone + alone / 8;
  ck_assert_uint_gt(together, memory);
  open_bench();
  for (int i = 0; i < 2 * CASES; i++)
    ck_assert(assert_sound(cases[i * 5 % CASES]));
  close_bench();
  memory = MEMORY;
}
END_TEST

/* A false claim of the file is reported as a wrong table, which shows that it is checked. */
START_TEST(wrong_numbers_are_seen) {
  uint64_t keys[] = {5, 9, 5}, first[] = {7};
  open_bench();
  bench.keys = (struct bench_keys){keys, first, 3, 3, 10, NULL};
  ck_assert_int_eq(bench_keys_list(&bench.keys), FLOE_OK);
  floe_bench_result result =
      measure((floe_bench_case){.table = "iceberg", .operation = FLOE_BENCH_FIND_OR_PUT, .from_file = true});
  ck_assert_int_eq(result.verdict, FLOE_BENCH_WRONG);
  ck_assert(result.rate == 0);
  mem_free(bench.keys.different);
  close_bench();
}
END_TEST

START_TEST(no_device_is_said) {
  struct reason reason = {""};
  absent = true;
  ck_assert_int_eq(bench_gpu_open(0, NULL, NULL, &bench.device, &bench.engine, &reason), FLOE_ERROR_UNSUPPORTED);
  ck_assert_str_eq(reason.text, "made up: no GPU");
  absent = false;
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *tcase = tcase_create("measuring");
  add_tests(tcase, every_operation_of_every_table, keys_of_all_kinds, cuckoo_by_sorting, full_tables_are_looked_at,
            ceilings_of_both_memories, tables_are_kept, what_is_kept_makes_way, wrong_numbers_are_seen,
            no_device_is_said);
  return emulated_run("emulated bench", tcase);
}
