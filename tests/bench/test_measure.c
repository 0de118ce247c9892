/* Measurements: verdicts on devices with deliberate faults, and other results. */
#include "bench/device/cpu.h"
#include "bench/measure/plan.h"
#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "floe.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

/* ---- faulty devices ------------------------------------------------------------------------- */

static struct {
  int at_run; /* the run of the next measurement with a fault; -1: none */
  int64_t found, put, full, others, wrong, sum;
  int calls;
} fault;

static floe_status faulty_run(struct bench_table *table, enum table_operation operation, struct bench_outcome *out) {
  floe_status status = bench_cpu.run(table, operation, out);
  if (fault.calls++ != fault.at_run)
    return status;
  out->found += (uint64_t)fault.found;
  out->put += (uint64_t)fault.put;
  out->full += (uint64_t)fault.full;
  out->others += (uint64_t)fault.others;
  out->wrong += (uint64_t)fault.wrong;
  out->sum += (uint64_t)fault.sum;
  return status;
}

static int interrupted_after; /* calls; -1: never */
static bool interrupted(void) { return interrupted_after >= 0 && interrupted_after-- == 0; }

static floe_bench_result measure(floe_bench_case *what) {
  static struct bench_device device;
  floe_bench bench = {.device = &device, .interrupted = interrupted};
  floe_bench_result result;
  device = bench_cpu;
  device.run = faulty_run;
  fault.calls = 0;
  if (!what->slots)
    what->slots = 1024;
  what->repetitions = 2;
  ck_assert_int_eq(bench_cpu_open(2, &bench.engine), FLOE_OK);
  case_complete(&bench, what);
  ck_assert_int_eq(bench_measure(&bench, what, &result), FLOE_OK);
  device.release(bench.engine);
  ck_assert_uint_eq(mem_live(), 0);
  return result;
}

static void setup(void) {
  memset(&fault, 0, sizeof fault);
  fault.at_run = -1;
  interrupted_after = -1;
}

static void assert_wrong(floe_bench_case what, const char *why) {
  floe_bench_result result = measure(&what);
  ck_assert_msg(result.verdict == FLOE_BENCH_WRONG, "%s", floe_bench_verdict_name(result.verdict));
  ck_assert_msg(strstr(result.why, why) != NULL, "'%s' instead of '%s'", result.why, why);
  ck_assert(result.rate == 0);
  ck_assert_uint_eq(result.repetitions, 0);
}

static const floe_bench_case putting = {.operation = FLOE_BENCH_FIND_OR_PUT, .after = 0.8};
static const floe_bench_case finding = {.operation = FLOE_BENCH_FIND, .before = 0.8, .positive = 0.5};
static const floe_bench_case summing = {
    .table = "linear", .operation = FLOE_BENCH_ADD, .after = 0.5, .times = 3, .value_bits = 32, .reduction = "sum"};
static const floe_bench_case getting = {
    .table = "linear", .operation = FLOE_BENCH_GET, .before = 0.5, .positive = 1, .value_bits = 64};

START_TEST(a_correct_device_is_measured) {
  const floe_bench_case *cases[] = {&putting, &finding, &summing, &getting};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    floe_bench_case what = *cases[i];
    floe_bench_result result = measure(&what);
    ck_assert_msg(result.verdict == FLOE_BENCH_MEASURED, "%s", result.why);
    ck_assert_uint_eq(result.repetitions, 2);
    ck_assert(result.rate > 0 && result.rate_least <= result.rate && result.rate <= result.rate_most);
  }
}
END_TEST

/* Runs of find-or-put: 0 the operation, 1 and 2 the detailed check, 3 and 4 a repetition each, 5 and 6 a detailed
   check. */
START_TEST(a_key_that_is_put_twice_is_wrong) {
  fault.found = -1;
  fault.put = 1;
  const int runs[] = {0, 3, 4};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    fault.at_run = runs[i];
    assert_wrong(putting, "new keys");
  }
}
END_TEST

START_TEST(a_key_that_is_lost_is_wrong) {
  fault.found = -1;
  fault.full = 1;
  fault.at_run = 1;
  assert_wrong(putting, "present keys found");
  fault.at_run = 1; /* after the filling */
  assert_wrong(finding, "keys found");
  fault.at_run = 5; /* the last repetition is checked as the first one */
  assert_wrong(putting, "present keys found");
}
END_TEST

START_TEST(an_absent_key_that_is_found_is_wrong) {
  fault.found = 1;
  fault.full = -1;
  fault.at_run = 2;
  assert_wrong(putting, "absent keys that were found");
  fault.at_run = 1;
  assert_wrong(finding, "keys found");
}
END_TEST

START_TEST(a_key_without_an_answer_is_wrong) {
  fault.at_run = 3;
  fault.others = 1;
  fault.found = -1;
  assert_wrong(putting, "without an answer");
}
END_TEST

START_TEST(a_wrong_value_is_wrong) {
  fault.at_run = 1;
  fault.wrong = 1;
  assert_wrong(getting, "wrong values");
}
END_TEST

/* A map of linear probing also has FIND, which returns no values: the detailed check must use GET. */
START_TEST(a_wrong_sum_is_wrong) {
  fault.at_run = 1;
  fault.sum = 1;
  assert_wrong(summing, "sum of all values");
}
END_TEST

static unsigned look_count;
static floe_status counting_look(struct bench_table *table, struct table **out, bool *owned) {
  look_count++;
  return bench_cpu.host_view(table, out, owned);
}

static unsigned looks_at(uint64_t slots) {
  static struct bench_device device;
  floe_bench bench = {.device = &device, .interrupted = interrupted};
  floe_bench_case what = {
      .table = "linear", .operation = FLOE_BENCH_PUT, .after = 1e-4, .slots = slots, .slot_bits = 64, .repetitions = 2};
  floe_bench_result result;
  device = bench_cpu;
  device.host_view = counting_look;
  look_count = 0;
  ck_assert_int_eq(bench_cpu_open(2, &bench.engine), FLOE_OK);
  case_complete(&bench, &what);
  ck_assert_int_eq(bench_measure(&bench, &what, &result), FLOE_OK);
  ck_assert_msg(result.verdict == FLOE_BENCH_MEASURED, "%s", result.why);
  device.release(bench.engine);
  return look_count;
}

/* After the first run and the last one; tables that take long to check only once. */
START_TEST(tables_are_looked_at) {
  ck_assert_uint_eq(looks_at(1 << 18), 2);
  ck_assert_uint_eq(looks_at((1 << 23) + 1024), 1);
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

static uint64_t room; /* keys at once */
static uint64_t little_room(struct bench_engine *engine, const struct table_config *config, uint64_t table_bytes) {
  (void)engine, (void)config, (void)table_bytes;
  return room;
}

static floe_bench_result measure_in(uint64_t keys, floe_bench_case what) {
  static struct bench_device device;
  floe_bench bench = {.device = &device, .interrupted = interrupted};
  floe_bench_result result;
  device = bench_cpu;
  device.most_keys = little_room;
  room = keys;
  what.slots = 1024;
  what.repetitions = 2;
  ck_assert_int_eq(bench_cpu_open(2, &bench.engine), FLOE_OK);
  case_complete(&bench, &what);
  ck_assert_int_eq(bench_measure(&bench, &what, &result), FLOE_OK);
  device.release(bench.engine);
  return result;
}

START_TEST(keys_come_in_parts) {
  const floe_bench_case *cases[] = {&putting, &finding, &summing, &getting};
  const uint64_t rooms[] = {10, 77, 300, 1000000};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
      floe_bench_result result = measure_in(rooms[r], *cases[i]);
      ck_assert_msg(result.verdict == FLOE_BENCH_MEASURED, "%s", result.why);
      ck_assert_uint_eq(result.found + result.put + result.full, result.keys);
    }
}
END_TEST

START_TEST(too_little_room_is_told) {
  floe_bench_case drawn = putting, many = putting;
  floe_bench_result result = measure_in(0, putting);
  ck_assert_int_eq(result.verdict, FLOE_BENCH_REFUSED);
  ck_assert(strstr(result.why, "no room for the table and its keys") != NULL);
  drawn.zipf = 1; /* counted at once */
  ck_assert_int_eq(measure_in(100, drawn).verdict, FLOE_BENCH_REFUSED);
  many.times = 1000;
  ck_assert_int_eq(measure_in(100, many).verdict, FLOE_BENCH_REFUSED);
}
END_TEST

/* The system overcommits memory and would kill the process: the available memory is checked. */
START_TEST(memory_is_looked_at) {
  struct bench_engine *engine;
  const struct table_config set = {.scheme = "iceberg"}, map = {.scheme = "linear", .value_bits = 64};
  ck_assert_int_eq(bench_cpu_open(1, &engine), FLOE_OK);
  const uint64_t available = floe_memory_available(), all = bench_cpu.most_keys(engine, &set, 0);
  ck_assert_uint_gt(all, 0);
  ck_assert_uint_lt(all, available / 9 + available / 16);
  ck_assert_uint_lt(bench_cpu.most_keys(engine, &map, 0), all);
  ck_assert_uint_eq(bench_cpu.most_keys(engine, &set, UINT64_MAX), 0);
  ck_assert_uint_lt(bench_cpu.most_keys(engine, &set, available / 2), all * 3 / 4);
  bench_cpu.release(engine);
}
END_TEST

/* ---- ceilings -------------------------------------------------------------------------------- */

static unsigned times_measured[BENCH_ACCESSES];
static uint64_t too_large; /* there is no memory for footprints from this size on; 0: no limit */

/* Different access rates, so that the value of a ceiling shows its components. */
static const double made_up[BENCH_ACCESSES] = {1e9, 16e6, 32e6, 64e6};

static floe_status counting_ceilings(struct bench_engine *engine, enum bench_place place, uint64_t footprint,
                                     unsigned wanted, struct bench_ceilings *out) {
  (void)engine, (void)place;
  if (too_large && footprint >= too_large)
    return FLOE_ERROR_MEMORY;
  for (unsigned i = 0; i < BENCH_ACCESSES; i++)
    if (wanted >> i & 1) {
      times_measured[i]++;
      out->rates[i] = made_up[i];
    }
  out->footprint = footprint;
  return FLOE_OK;
}

static void assert_measured(unsigned read, unsigned swap16, unsigned swap32, unsigned swap64) {
  const unsigned wanted[BENCH_ACCESSES] = {read, swap16, swap32, swap64};
  for (unsigned i = 0; i < BENCH_ACCESSES; i++)
    ck_assert_msg(times_measured[i] == wanted[i], "access %u measured %u times instead of %u", i, times_measured[i],
                  wanted[i]);
}

static floe_bench_result measure_on(floe_bench *bench, floe_bench_case what) {
  floe_bench_result result;
  what.repetitions = 1;
  case_complete(bench, &what);
  ck_assert_int_eq(bench_measure(bench, &what, &result), FLOE_OK);
  ck_assert_msg(result.verdict == FLOE_BENCH_MEASURED, "%s", result.why);
  return result;
}

/* Of `writes` of n keys. */
static void assert_ceiling(const floe_bench_result *result, enum bench_access swap, uint64_t writes) {
  const double n = (double)result->keys, w = (double)writes;
  const double wanted = n / (w / made_up[swap] + (n - w) / made_up[BENCH_READ]);
  ck_assert_msg(result->ceiling > 0.999 * wanted && result->ceiling < 1.001 * wanted, "ceiling %g instead of %g",
                result->ceiling, wanted);
}

/* Each footprint measures only the needed rates, and each once. */
START_TEST(ceilings_are_measured_once) {
  static struct bench_device device;
  static floe_bench bench;
  const floe_bench_case looking = {.operation = FLOE_BENCH_FIND,
                                   .before = 0.2,
                                   .positive = 1,
                                   .keys = 1000,
                                   .slots = 1 << 19,
                                   .slot_bits = 32,
                                   .key_bits = 30},
                        adding = {.operation = FLOE_BENCH_PUT,
                                  .after = 0.2,
                                  .slots = 1 << 19,
                                  .slot_bits = 32,
                                  .key_bits = 30};
  floe_bench_case both = adding, larger = looking;
  device = bench_cpu;
  device.measure_ceilings = counting_ceilings;
  bench = (floe_bench){.device = &device, .interrupted = interrupted};
  memset(times_measured, 0, sizeof times_measured);
  ck_assert_int_eq(bench_cpu_open(2, &bench.engine), FLOE_OK);
  floe_bench_result result;
  for (int i = 0; i < 2; i++) {
    result = measure_on(&bench, looking);
    assert_ceiling(&result, BENCH_SWAP_32, 0);
  }
  assert_measured(1, 0, 0, 0);
  for (int i = 0; i < 2; i++) {
    result = measure_on(&bench, adding);
    assert_ceiling(&result, BENCH_SWAP_32, result.keys);
  }
  assert_measured(1, 0, 1, 0);
  both.operation = FLOE_BENCH_FIND_OR_PUT;
  both.times = 2;
  result = measure_on(&bench, both);
  assert_ceiling(&result, BENCH_SWAP_32, result.put);
  assert_measured(1, 0, 1, 0);
  larger.slots = 1 << 20;
  measure_on(&bench, larger);
  measure_on(&bench, looking);
  assert_measured(2, 0, 1, 0);
  device.release(bench.engine);
}
END_TEST

static floe_bench_case on_half_a_million(floe_bench_operation operation) {
  const bool looks = operation == FLOE_BENCH_FIND || operation == FLOE_BENCH_GET || operation == FLOE_BENCH_DELETE;
  return (floe_bench_case){.operation = operation,
                           .table = "linear",
                           .before = looks ? 0.2 : 0,
                           .after = looks ? 0 : 0.2,
                           .positive = 0.5,
                           .keys = looks ? 1000 : 0,
                           .slots = 1 << 19,
                           .slot_bits = 32,
                           .key_bits = 30};
}

/* Lookups only read, whether keys are found or not; puts and deletions write. */
START_TEST(ceilings_are_of_what_is_done) {
  static struct bench_device device;
  static floe_bench bench;
  device = bench_cpu;
  device.measure_ceilings = counting_ceilings;
  bench = (floe_bench){.device = &device, .interrupted = interrupted};
  memset(times_measured, 0, sizeof times_measured);
  ck_assert_int_eq(bench_cpu_open(2, &bench.engine), FLOE_OK);
  floe_bench_case absent = on_half_a_million(FLOE_BENCH_FIND), get = on_half_a_million(FLOE_BENCH_GET),
                  map = on_half_a_million(FLOE_BENCH_ADD), wide = map;
  absent.positive = 0;
  get.value_bits = map.value_bits = 32;
  floe_bench_result result = measure_on(&bench, absent);
  assert_ceiling(&result, BENCH_SWAP_32, 0);
  result = measure_on(&bench, get);
  assert_ceiling(&result, BENCH_SWAP_32, 0);
  assert_measured(2, 0, 0, 0); /* two footprints */
  result = measure_on(&bench, on_half_a_million(FLOE_BENCH_DELETE));
  assert_ceiling(&result, BENCH_SWAP_32, 500);
  result = measure_on(&bench, on_half_a_million(FLOE_BENCH_FIND_OR_PUT));
  assert_ceiling(&result, BENCH_SWAP_32, result.put);
  assert_measured(2, 0, 1, 0);
  result = measure_on(&bench, map); /* values stay unchanged; one word is key and value */
  assert_ceiling(&result, BENCH_SWAP_64, result.put);
  map.reduction = "sum";
  result = measure_on(&bench, map);
  assert_ceiling(&result, BENCH_SWAP_64, result.keys);
  assert_measured(2, 0, 1, 1);
  wide.table = "cuckoo"; /* swaps of 128 bits are not measured */
  wide.operation = FLOE_BENCH_PUT;
  wide.slot_bits = 0;
  wide.value_bits = 64;
  ck_assert(measure_on(&bench, wide).ceiling == 0);
  wide.operation = FLOE_BENCH_GET;
  wide.before = 0.2;
  result = measure_on(&bench, wide);
  assert_ceiling(&result, BENCH_SWAP_64, 0);
  device.release(bench.engine);
}
END_TEST

/* If the table leaves no room for its footprint, half of it is measured: once, for all kinds. */
START_TEST(ceilings_of_large_tables) {
  static struct bench_device device;
  static floe_bench bench;
  const struct bench_ceilings *found;
  device = bench_cpu;
  device.measure_ceilings = counting_ceilings;
  bench = (floe_bench){.device = &device, .interrupted = interrupted};
  memset(times_measured, 0, sizeof times_measured);
  too_large = UINT64_C(1) << 30;
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(bench_ceilings_for(&bench, BENCH_AT_HOME, UINT64_C(1) << 30, 1u << BENCH_READ, &found), FLOE_OK);
    ck_assert_uint_eq(found->footprint, UINT64_C(1) << 29);
    ck_assert(found->rates[BENCH_READ] > 0 && found->rates[BENCH_SWAP_16] == 0);
  }
  ck_assert_int_eq(bench_ceilings_for(&bench, BENCH_AT_HOME, UINT64_C(1) << 30, 1u << BENCH_SWAP_64, &found), FLOE_OK);
  ck_assert_uint_eq(found->footprint, UINT64_C(1) << 29);
  assert_measured(1, 0, 0, 1);
  too_large = 1;
  ck_assert_int_eq(bench_ceilings_for(&bench, BENCH_AT_HOME, UINT64_C(1) << 28, 1u << BENCH_READ, &found),
                   FLOE_ERROR_MEMORY);
  too_large = 0;
}
END_TEST

/* ---- sums that go round ---------------------------------------------------------------------- */

/* A device with more keys than this machine could hold: it returns the right answers. */
struct bench_table {
  struct table_shape shape;
  struct bench_items items;
};
static struct bench_table vast;
static uint64_t vast_found, vast_put, vast_sum; /* of the next GET; of ADD */

static floe_status vast_open(struct bench_engine *engine, const struct table_config *config, enum bench_place place,
                             uint64_t most, struct bench_table **out) {
  (void)engine, (void)place, (void)most;
  *out = &vast;
  return table_plan(config, &vast.shape);
}
static void vast_close(struct bench_table *table) { (void)table; }
static const struct table_shape *vast_shape(const struct bench_table *table) { return &table->shape; }
static floe_status vast_clear(struct bench_table *table, uint64_t seed) {
  (void)table, (void)seed;
  return FLOE_OK;
}
static floe_status vast_make(struct bench_table *table, const struct bench_items *items, bench_value value) {
  (void)value;
  table->items = *items;
  return FLOE_OK;
}
static floe_status vast_distinct(struct bench_table *table, const struct bench_items *items, uint64_t from,
                                 uint64_t count, uint64_t *out) {
  (void)table, (void)items, (void)from, (void)count;
  *out = vast_put;
  return FLOE_OK;
}
static floe_status vast_run(struct bench_table *table, enum table_operation operation, struct bench_outcome *out) {
  const uint64_t n = table->items.n;
  *out = (struct bench_outcome){.seconds = 1};
  if (operation == TABLE_ADD)
    out->put = vast_put;
  else if (table->items.first == 0)
    out->sum = vast_sum;
  out->found = operation == TABLE_ADD ? n - vast_put : table->items.first == 0 ? vast_found : 0;
  out->full = n - out->put - out->found;
  return FLOE_OK;
}

/* Two keys: one was added 3 times, the other one all other times. */
static floe_bench_result add_up(unsigned value_bits, uint64_t keys, uint64_t sum) {
  static struct bench_device device;
  floe_bench bench = {.device = &device, .interrupted = interrupted};
  floe_bench_result result;
  device = bench_cpu;
  device.open = vast_open;
  device.close = vast_close;
  device.shape = vast_shape;
  device.clear = vast_clear;
  device.make = vast_make;
  device.distinct = vast_distinct;
  device.run = vast_run;
  device.most_keys = little_room;
  room = UINT64_MAX;
  device.measure_ceilings = counting_ceilings;
  vast_put = vast_found = 2;
  vast_sum = sum;
  floe_bench_case what = {.table = "linear",
                          .operation = FLOE_BENCH_ADD,
                          .after = 0.5,
                          .zipf = 4,
                          .keys = keys,
                          .slots = UINT64_C(1) << 28, /* too large for the detailed check */
                          .value_bits = value_bits,
                          .reduction = "sum",
                          .repetitions = 1};
  case_complete(&bench, &what);
  ck_assert_int_eq(bench_measure(&bench, &what, &result), FLOE_OK);
  return result;
}

static void assert_sum(unsigned value_bits, uint64_t keys, uint64_t sum, bool right) {
  floe_bench_result result = add_up(value_bits, keys, sum);
  ck_assert_msg(result.verdict == (right ? FLOE_BENCH_MEASURED : FLOE_BENCH_WRONG),
                "%llu keys, sum %llu of values of %u bits: %s %s", (unsigned long long)keys, (unsigned long long)sum,
                value_bits, floe_bench_verdict_name(result.verdict), result.why);
}

/* Values of 32 bits are sums modulo 2^32, so the total is checked modulo that. */
START_TEST(sums_of_narrow_values_go_round) {
  const uint64_t round = UINT64_C(1) << 32, many = 2 * round + 1000;
  assert_sum(32, 1000, 1000, true);
  assert_sum(32, 1000, 999, false);
  assert_sum(32, 1000, 1000 + round, false);
  assert_sum(32, round - 1, round - 1, true);
  assert_sum(32, many, 3 + (many - 3) % round, true);
  assert_sum(32, many, 4 + (many - 3) % round, false);
  assert_sum(64, many, many, true);
  assert_sum(64, many, many % round, false);
}
END_TEST

/* ---- other verdicts -------------------------------------------------------------------------- */

START_TEST(a_fill_factor_that_is_not_reached_is_full) {
  floe_bench_case what = {
      .table = "cuckoo", .operation = FLOE_BENCH_PUT, .after = 1, .hashes = 2, .slot_bits = 32, .bucket_slots = 8};
  floe_bench_result result = measure(&what);
  ck_assert_msg(result.verdict == FLOE_BENCH_FULL, "%s: %s", floe_bench_verdict_name(result.verdict), result.why);
  ck_assert_uint_gt(result.full, 0);
  ck_assert_uint_eq(result.full + result.put, result.keys);
  ck_assert(result.after < 1 && result.rate > 0);
  ck_assert_uint_eq(strtoull(result.why, NULL, 10), result.full); /* columns and text are of the same run */
}
END_TEST

/* Of the three runs of put (0, 3, 4, with detailed checks after the first and the last) some are full. */
static void assert_full(floe_bench_case what, int at_run, const char *why) {
  fault.at_run = at_run;
  fault.full = 5;
  fault.found = -5;
  floe_bench_result result = measure(&what);
  ck_assert_msg(result.verdict == FLOE_BENCH_FULL, "%s: %s", floe_bench_verdict_name(result.verdict), result.why);
  ck_assert_str_eq(result.why, why);
  ck_assert_uint_eq(result.full, 0);
}

START_TEST(runs_that_are_full_are_told) {
  floe_bench_case above = {.operation = FLOE_BENCH_FIND_OR_PUT, .after = 0.91, .times = 3};
  assert_full(above, 0, "in 1 of 3 runs up to 5 keys have no place");
  assert_full(above, 3, "in 1 of 3 runs up to 5 keys have no place");
  above.after = 0.9; /* the table must have room */
  assert_wrong(above, "5 keys have no place at fill factor 0.9");
}
END_TEST

START_TEST(an_interrupt_leaves_no_figure) {
  for (int after = 0; after < 5; after++) {
    interrupted_after = after;
    floe_bench_case what = finding;
    floe_bench_result result = measure(&what);
    ck_assert_int_eq(result.verdict, FLOE_BENCH_INTERRUPTED);
  }
}
END_TEST

/* Also within an operation, which may take minutes. */
START_TEST(an_interrupt_ends_an_operation) {
  const struct table_config config = {.scheme = "iceberg", .key_bits = 30, .slots = 100000};
  const struct bench_items items = {.n = 50000, .key_bits = 30, .count = 50000};
  struct bench_engine *engine;
  struct bench_table *table;
  struct bench_outcome before, after;
  interruptible_begin();
  ck_assert_int_eq(bench_cpu_open(2, &engine), FLOE_OK);
  ck_assert_int_eq(bench_cpu.open(engine, &config, BENCH_AT_HOME, items.n, &table), FLOE_OK);
  ck_assert_int_eq(bench_cpu.make(table, &items, 0), FLOE_OK);
  ck_assert_int_eq(bench_cpu.run(table, TABLE_PUT_NEW, &before), FLOE_OK);
  floe_interrupt();
  ck_assert_int_eq(bench_cpu.run(table, TABLE_FIND, &after), FLOE_OK);
  ck_assert_uint_eq(before.put, items.n);
  ck_assert_uint_eq(after.found, 0);
  bench_cpu.close(table);
  bench_cpu.release(engine);
  interruptible_end();
}
END_TEST

START_TEST(what_makes_no_sense_is_refused) {
  const floe_bench_case cases[] = {
      {.operation = FLOE_BENCH_PUT, .before = 0.5, .after = 0.5},
      {.operation = FLOE_BENCH_FIND_OR_PUT, .before = 0.5, .after = 0.4},
      {.operation = FLOE_BENCH_FIND, .before = 1.5, .positive = 1},
      {.operation = FLOE_BENCH_DELETE, .before = 0.5},
      {.operation = FLOE_BENCH_FIND, .before = 0, .positive = 0.5},
      {.operation = FLOE_BENCH_PUT, .after = 0.5, .zipf = 1},
      {.operation = FLOE_BENCH_DELETE, .before = 0.5, .positive = 1, .zipf = 1},
      {.operation = FLOE_BENCH_FIND_OR_PUT, .after = 0.5, .from_file = true},
      {.operation = FLOE_BENCH_FIND_OR_PUT, .after = 0.5, .table = "none"},
      {.operation = FLOE_BENCH_FIND_OR_PUT, .after = 0.5, .key_bits = 60, .slot_bits = 16},
      {.operation = FLOE_BENCH_ADD, .after = 0.5, .table = "linear"},
      {.operation = FLOE_BENCH_FIND_OR_PUT, .after = 0.5, .host_memory = true},
      {.operation = FLOE_BENCH_ADD, .after = 0.5, .reduction = "product"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    floe_bench_case what = cases[i];
    floe_bench_result result = measure(&what);
    ck_assert_msg(result.verdict == FLOE_BENCH_REFUSED, "case %zu is %s", i, floe_bench_verdict_name(result.verdict));
    ck_assert_str_ne(result.why, "");
    ck_assert(result.rate == 0);
  }
}
END_TEST

/* Maps with values of 32 bits have keys of 32 bits: generated keys are narrowed, those of a file are refused. */
START_TEST(keys_of_a_file_keep_their_width) {
  floe_bench bench = {.device = &bench_cpu, .keys = {.count = 9, .distinct = 9, .key_bits = 40}};
  floe_bench_case made = {.slots = 1 << 30, .value_bits = 32}, given = made;
  given.from_file = true;
  case_complete(&bench, &made);
  case_complete(&bench, &given);
  ck_assert_uint_eq(made.key_bits, 32);
  ck_assert_uint_eq(given.key_bits, 40);
}
END_TEST

START_TEST(the_median_is_in_the_middle) {
  double odd[] = {5, 1, 4}, even[] = {7, 1, 4, 3}, one[] = {2};
  ck_assert(bench_median(odd, 3) == 4);
  ck_assert(bench_median(even, 4) == 3.5);
  ck_assert(bench_median(one, 1) == 2);
}
END_TEST

int main(void) {
  TCase *lies = tcase_create("lies");
  tcase_add_checked_fixture(lies, setup, NULL);
  tcase_set_timeout(lies, 120);
  add_tests(lies, a_correct_device_is_measured, a_key_that_is_put_twice_is_wrong, a_key_that_is_lost_is_wrong,
            an_absent_key_that_is_found_is_wrong, a_key_without_an_answer_is_wrong, a_wrong_value_is_wrong,
            a_wrong_sum_is_wrong, tables_are_looked_at, keys_come_in_parts, too_little_room_is_told,
            memory_is_looked_at, ceilings_are_measured_once, ceilings_are_of_what_is_done, ceilings_of_large_tables,
            sums_of_narrow_values_go_round, a_fill_factor_that_is_not_reached_is_full, runs_that_are_full_are_told,
            an_interrupt_leaves_no_figure, an_interrupt_ends_an_operation, what_makes_no_sense_is_refused,
            keys_of_a_file_keep_their_width, the_median_is_in_the_middle);
  return run_suite("measure", CK_FORK_GETENV, lies);
}
