/* Measures one case: fills the table, runs the operation and checks the answers, repeatedly with other permutations. */
#include "bench/measure/measure.h"

#include "base/numbers.h"
#include "core/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST_FOOTPRINT (UINT64_C(1) << 20) /* smaller tables have no useful limit */
#define SPREAD_PARTS 16
#define MOST_PARTS 1024 /* keys in more parts are too many for this device */

/* ---- verdicts -------------------------------------------------------------------------------- */

void set_verdict(struct measurement *m, floe_bench_verdict verdict, const char *format, ...) {
  if (m->result->verdict == FLOE_BENCH_WRONG)
    return; /* the first verdict is the cause */
  va_list args;
  va_start(args, format);
  m->result->verdict = verdict;
  vsnprintf(m->result->why, sizeof m->result->why, format, args);
  va_end(args);
}

bool measurement_ended(const struct measurement *m) {
  return m->result->verdict != FLOE_BENCH_MEASURED && m->result->verdict != FLOE_BENCH_FULL;
}

void expect_equal(struct measurement *m, const char *what, uint64_t found, uint64_t wanted) {
  if (found != wanted)
    set_verdict(m, FLOE_BENCH_WRONG, "%s: %llu instead of %llu", what, (unsigned long long)found,
                (unsigned long long)wanted);
}

/* ---- runs in parts --------------------------------------------------------------------------- */

static unsigned parts_of(const struct measurement *m, uint64_t n) { return (unsigned)((n + m->most - 1) / m->most); }

static void add_outcome(struct bench_outcome *to, const struct bench_outcome *from) {
  to->seconds += from->seconds;
  to->found += from->found;
  to->put += from->put;
  to->full += from->full;
  to->others += from->others;
  to->wrong += from->wrong;
  to->sum += from->sum;
}

/* In a table that is filled in parts the first keys have the best places: keys to look up must come from all parts
   evenly if they are fewer. Part i takes the beginning of the i-th part of the numbers. */
static unsigned parts_for(const struct measurement *m, const struct bench_items *items) {
  const unsigned parts = parts_of(m, items->n);
  const bool spread = m->plan.fills && items->n < items->count && items->zipf <= 0 && !items->given;
  return spread && parts_of(m, m->plan.filling.n) > 1 && parts < SPREAD_PARTS ? SPREAD_PARTS : parts;
}

/* Collects the keys returned by the last run, up to MOST_RETURNED. */
static floe_status collect_returned(struct measurement *m, const struct bench_outcome *outcome) {
  if (!m->returned.keys)
    m->returned.keys = mem_array(MOST_RETURNED, sizeof *m->returned.keys);
  if (!m->returned.keys)
    return FLOE_ERROR_MEMORY;
  const uint64_t room = MOST_RETURNED - m->returned.n;
  const uint64_t wanted = outcome->full < room ? outcome->full : room;
  uint64_t n = 0;
  FLOE_TRY(m->bench->device->returned(m->table, wanted, m->returned.keys + m->returned.n, &n));
  m->returned.n += n;
  expect_equal(m, "returned keys", n, wanted);
  return FLOE_OK;
}

floe_status run_items(struct measurement *m, enum table_operation operation, const struct bench_items *items,
                      bench_value value, struct bench_outcome *out) {
  unsigned parts = parts_for(m, items);
  *out = (struct bench_outcome){0};
  for (unsigned i = 0; i < parts && !measurement_ended(m); i++) {
    struct bench_items part = items_part(items, i, parts);
    struct bench_outcome outcome;
    FLOE_TRY(m->bench->device->make(m->table, &part, value));
    FLOE_TRY(m->bench->device->run(m->table, operation, &outcome));
    add_outcome(out, &outcome);
    if (m->bench->interrupted())
      set_verdict(m, FLOE_BENCH_INTERRUPTED, "interrupted");
    else if (m->returned.wanted && outcome.full)
      FLOE_TRY(collect_returned(m, &outcome));
  }
  if (!measurement_ended(m))
    expect_equal(m, "keys without an answer", out->others, 0);
  return FLOE_OK;
}

/* ---- the steps of a repetition --------------------------------------------------------------- */

static floe_status empty_and_fill(struct measurement *m, uint64_t seed) {
  FLOE_TRY(m->bench->device->clear(m->table, seed));
  if (!m->plan.fills)
    return FLOE_OK;
  struct bench_outcome outcome;
  FLOE_TRY(run_items(m, m->plan.fill, &m->plan.filling, m->plan.value, &outcome));
  if (measurement_ended(m))
    return FLOE_OK;
  if (outcome.full)
    set_verdict(m, plan_must_fit(&m->plan, m->plan.present) ? FLOE_BENCH_WRONG : FLOE_BENCH_REFUSED,
                "filled to %.3f, %llu keys have no place", m->result->before, (unsigned long long)outcome.full);
  else
    expect_equal(m, "keys put while filling", outcome.put, m->plan.present);
  return FLOE_OK;
}

/* Number of keys that the operation must put: known from the plan, except for drawn keys, which are counted. */
static floe_status count_fresh(struct measurement *m) {
  const struct bench_plan *plan = &m->plan;
  if (plan_is_lookup(plan->operation))
    m->fresh = 0;
  else if (plan->items.zipf > 0)
    FLOE_TRY(m->bench->device->distinct(m->table, &plan->items, 0, plan->after, &m->fresh));
  else
    m->fresh = plan->items.given ? plan->distinct : plan->after - plan->present;
  m->there = plan->present + m->fresh;
  if (plan->operation == TABLE_DELETE)
    m->there = plan->present - (plan->items.n - plan->items.others);
  return FLOE_OK;
}

static void judge_lookups(struct measurement *m, const struct bench_outcome *outcome) {
  uint64_t present = m->plan.items.n - m->plan.items.others;
  expect_equal(m, "keys found", outcome->found, present);
  expect_equal(m, "absent keys", outcome->full, m->plan.items.n - present);
  if (m->plan.operation == TABLE_GET)
    expect_equal(m, "wrong values", outcome->wrong, 0);
}

/* An error only if the table must have room. */
static void judge_full(struct measurement *m, uint64_t full) {
  m->full_runs++;
  if (full > m->most_full)
    m->most_full = full;
  if (plan_must_fit(&m->plan, m->there))
    set_verdict(m, FLOE_BENCH_WRONG, "%llu keys have no place at fill factor %.3f", (unsigned long long)full,
                (double)m->there / (double)m->plan.slots);
  else
    set_verdict(m, FLOE_BENCH_FULL, "keys have no place");
}

static void judge_puts(struct measurement *m, const struct bench_outcome *outcome) {
  uint64_t n = m->plan.items.n;
  expect_equal(m, "answers", outcome->found + outcome->put + outcome->full, n);
  if (m->plan.operation == TABLE_PUT_NEW)
    expect_equal(m, "new keys that were found", outcome->found, 0);
  if (outcome->full == 0)
    expect_equal(m, "new keys", outcome->put, m->fresh);
  else
    judge_full(m, outcome->full);
}

static void judge(struct measurement *m, const struct bench_outcome *outcome) {
  m->result->found = outcome->found;
  m->result->put = outcome->put;
  m->result->full = outcome->full;
  if (plan_is_lookup(m->plan.operation))
    judge_lookups(m, outcome);
  else
    judge_puts(m, outcome);
}

/* ---- all repetitions ------------------------------------------------------------------------- */

/* PUT_NEW has only different keys, so a returned key must not be in the table. */
static floe_status operate(struct measurement *m, bool closely, struct bench_outcome *out) {
  m->returned.n = 0;
  m->returned.wanted = closely && m->plan.operation == TABLE_PUT_NEW;
  floe_status status = run_items(m, m->plan.operation, &m->plan.items, m->plan.value, out);
  m->returned.wanted = false;
  return status;
}

/* number 0: warm-up. The first and the last run are verified in detail. */
static floe_status repeat(struct measurement *m, unsigned number) {
  const bool closely = number == 0 || number == m->plan.repetitions;
  struct bench_outcome outcome;
  FLOE_TRY(empty_and_fill(m, m->plan.seed + number));
  if (measurement_ended(m))
    return FLOE_OK;
  FLOE_TRY(operate(m, closely, &outcome));
  if (measurement_ended(m))
    return FLOE_OK;
  m->runs++;
  judge(m, &outcome);
  if (number > 0)
    m->rates[m->result->repetitions++] = (double)m->plan.items.n / outcome.seconds;
  return closely && !measurement_ended(m) ? verify_table(m) : FLOE_OK;
}

/* The columns show the last run. */
static void report_full(struct measurement *m) {
  if (m->result->verdict != FLOE_BENCH_FULL)
    return;
  if (m->full_runs == m->runs)
    set_verdict(m, FLOE_BENCH_FULL, "%llu keys have no place", (unsigned long long)m->result->full);
  else
    set_verdict(m, FLOE_BENCH_FULL, "in %u of %u runs up to %llu keys have no place", m->full_runs, m->runs,
                (unsigned long long)m->most_full);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *values, unsigned n) {
  qsort(values, n, sizeof *values, by_size);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void compute_median(struct measurement *m) {
  floe_bench_result *result = m->result;
  unsigned n = result->repetitions;
  if (result->verdict == FLOE_BENCH_WRONG || result->verdict == FLOE_BENCH_REFUSED || n == 0) {
    result->repetitions = 0;
    return;
  }
  result->rate = bench_median(m->rates, n);
  result->rate_least = m->rates[0];
  result->rate_most = m->rates[n - 1];
}

/* Number of keys for which any table must write: an unchanged value is only read. */
static uint64_t writes_of(const struct measurement *m) {
  const floe_bench_result *result = m->result;
  switch (m->plan.operation) {
  case TABLE_FIND:
  case TABLE_GET:
    return 0;
  case TABLE_DELETE:
    return result->found;
  case TABLE_ADD:
    return m->plan.config.reduction == TABLE_SUM ? m->plan.items.n : result->put;
  default:
    return result->put;
  }
}

/* Access for the word that is swapped: in some maps of 32 bits key and value are one word. False: not measured. */
static bool swap_of(const struct bench_plan *plan, enum bench_access *out) {
  const bool pairs = table_traits(plan->config.scheme)->joins_halves && plan->shape.value_bits == 32;
  const unsigned bits = pairs ? 64 : plan->shape.slot_bits;
  *out = bits == 16 ? BENCH_SWAP_16 : bits == 32 ? BENCH_SWAP_32 : BENCH_SWAP_64;
  return bits <= 64;
}

/* Upper bound of the rate: a key that is put or changed costs a compare-and-swap of a word as wide as a slot, any
   other key a read. */
static floe_status compute_ceiling(struct measurement *m) {
  const struct bench_ceilings *ceilings;
  floe_bench_result *result = m->result;
  const uint64_t writes = writes_of(m), reads = m->plan.items.n - writes;
  enum bench_access swap;
  if ((!swap_of(&m->plan, &swap) && writes) || result->rate <= 0 || m->plan.shape.bytes < SMALLEST_FOOTPRINT)
    return FLOE_OK;
  const unsigned wanted = (reads ? 1u << BENCH_READ : 0) | (writes ? 1u << swap : 0);
  floe_status status = bench_ceilings_for(m->bench, m->plan.place, m->plan.shape.bytes, wanted, &ceilings);
  if (status == FLOE_ERROR_MEMORY)
    return FLOE_OK; /* the result is valid without the bound */
  FLOE_TRY(status);
  const double seconds =
      (writes ? (double)writes / ceilings->rates[swap] : 0) + (reads ? (double)reads / ceilings->rates[BENCH_READ] : 0);
  result->ceiling = (double)m->plan.items.n / seconds;
  return FLOE_OK;
}

static floe_status repeat_all(struct measurement *m) {
  FLOE_TRY(count_fresh(m));
  for (unsigned i = 0; i <= m->plan.repetitions && !measurement_ended(m); i++)
    FLOE_TRY(repeat(m, i));
  m->result->after =
      (double)(m->plan.operation == TABLE_DELETE ? m->there : m->plan.present + m->result->put) / (double)m->plan.slots;
  report_full(m);
  compute_median(m);
  return compute_ceiling(m);
}

/* ---- the case -------------------------------------------------------------------------------- */

static void describe_table(struct measurement *m) {
  const struct table_shape *shape = &m->plan.shape;
  floe_bench_result *result = m->result;
  result->key_bits = shape->key_bits;
  result->slot_bits = shape->slot_bits;
  result->second_slot_bits = shape->second_slot_bits;
  result->bucket_slots = shape->bucket_slots;
  result->value_bits = shape->value_bits;
  result->slots = m->plan.slots;
  result->bytes = shape->bytes;
  result->keys = m->plan.items.n;
  result->before = (double)m->plan.present / (double)m->plan.slots;
}

static uint64_t keys_needed(const struct bench_plan *plan) {
  uint64_t most = plan->items.n > plan->filling.n ? plan->items.n : plan->filling.n;
  return most > plan->after ? most : plan->after;
}

/* Drawn keys must be counted together. */
static bool choose_most_keys(struct measurement *m) {
  uint64_t most = m->bench->device->most_keys(m->bench->engine, &m->plan.config,
                                              m->plan.place == BENCH_ON_HOST ? 0 : m->plan.shape.bytes);
  const uint64_t wanted = keys_needed(&m->plan);
  m->most = least(most, wanted);
  const bool counts = m->plan.items.zipf > 0 && !plan_is_lookup(m->plan.operation);
  if (m->most > wanted / MOST_PARTS && (!counts || m->plan.items.n <= m->most))
    return true;
  set_verdict(m, FLOE_BENCH_REFUSED,
              wanted ? "there is no room for the table and its keys in memory" : "there are no keys");
  return false;
}

static floe_status open_and_repeat(struct measurement *m) {
  const struct bench_device *device = m->bench->device;
  FLOE_TRY(device->open(m->bench->engine, &m->plan.config, m->plan.place, m->most, &m->table));
  m->plan.shape = *device->shape(m->table);
  m->rates = mem_array(m->plan.repetitions + 1, sizeof *m->rates);
  floe_status status = m->rates ? repeat_all(m) : FLOE_ERROR_MEMORY;
  mem_free(m->rates);
  mem_free(m->returned.keys);
  device->close(m->table);
  return status;
}

/* A missing table or too little memory is reported in the case's row; later cases continue. */
static floe_status measure_table(struct measurement *m) {
  floe_status status = open_and_repeat(m);
  if (status != FLOE_ERROR_MEMORY && status != FLOE_ERROR_UNSUPPORTED)
    return status;
  m->result->rate = m->result->rate_least = m->result->rate_most = 0;
  m->result->repetitions = 0;
  set_verdict(m, FLOE_BENCH_REFUSED,
              status == FLOE_ERROR_MEMORY ? "there is not enough memory for the table"
                                          : "this machine has no such table");
  return FLOE_OK;
}

floe_status bench_measure(floe_bench *bench, const floe_bench_case *what, floe_bench_result *out) {
  floe_bench_result result = {.verdict = FLOE_BENCH_MEASURED,
                              .key_bits = what->key_bits,
                              .slot_bits = what->slot_bits,
                              .bucket_slots = what->bucket_slots,
                              .value_bits = what->value_bits,
                              .probe_mean = -1};
  struct measurement m = {.bench = bench, .result = &result};
  if (bench->interrupted()) {
    set_verdict(&m, FLOE_BENCH_INTERRUPTED, "interrupted");
  } else if (!plan_make(bench, what, &m.plan, result.why)) {
    result.verdict = FLOE_BENCH_REFUSED;
  } else {
    describe_table(&m);
    if (choose_most_keys(&m))
      FLOE_TRY(measure_table(&m));
  }
  *out = result;
  return FLOE_OK;
}
