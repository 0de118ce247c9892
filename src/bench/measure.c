/* Measures one case: fills the table, runs the operation, judges the answers, again and again with
   other permutations. */
#include "bench/plan.h"

#include "core/mem.h"
#include "table/linear.h"
#include "table/robin_hood.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKED_AT_BYTES (UINT64_C(512) << 20) /* larger tables are not looked at as a whole */
#define PROBED_BYTES (UINT64_C(1280) << 20)   /* nor those with probe lengths */
#define CHECKED_SLOTS (UINT64_C(1) << 23)   /* nor their every key */
#define SMALLEST_FOOTPRINT (UINT64_C(1) << 20) /* smaller tables have no ceiling to speak of */
#define ABSENT_KEYS (UINT64_C(1) << 22)     /* so many absent keys are asked for */
#define SPREAD_PARTS 16
#define MOST_PARTS 1024                     /* keys that come in more of them are too many for this machine */

struct measurement {
  floe_bench *bench;
  struct bench_plan plan;
  struct bench_table *table;
  uint64_t most;    /* keys at once */
  uint64_t there;   /* keys that are to be in the table after the operation */
  uint64_t fresh;   /* of them, put by it */
  double *rates;    /* [repetitions] */
  floe_bench_result *result;
};

/* ---- verdicts ----------------------------------------------------------------------------------
 */

static void __attribute__((format(printf, 3, 4)))
decide(struct measurement *m, floe_bench_verdict verdict, const char *format, ...) {
  if (m->result->verdict == FLOE_BENCH_WRONG)
    return; /* the first one is the cause */
  va_list args;
  va_start(args, format);
  m->result->verdict = verdict;
  vsnprintf(m->result->why, sizeof m->result->why, format, args);
  va_end(args);
}

static bool decided(const struct measurement *m) {
  return m->result->verdict != FLOE_BENCH_MEASURED && m->result->verdict != FLOE_BENCH_FULL;
}

static void expect(struct measurement *m, const char *what, uint64_t found, uint64_t wanted) {
  if (found != wanted)
    decide(m, FLOE_BENCH_WRONG, "%s: %llu instead of %llu", what, (unsigned long long)found,
           (unsigned long long)wanted);
}

/* ---- runs in parts -----------------------------------------------------------------------------
 */

static unsigned parts_of(const struct measurement *m, uint64_t n) {
  return (unsigned)((n + m->most - 1) / m->most);
}

static void add_outcome(struct bench_outcome *to, const struct bench_outcome *from) {
  to->seconds += from->seconds;
  to->found += from->found;
  to->put += from->put;
  to->full += from->full;
  to->others += from->others;
  to->wrong += from->wrong;
  to->sum += from->sum;
}

/* Of a table that is filled in parts the first keys have the best places: keys to be looked up are to come from all
   parts alike, where there are fewer of them. Part i takes the beginning of the i-th share of the numbers. */
static unsigned parts_for(const struct measurement *m, const struct bench_items *items) {
  const unsigned parts = parts_of(m, items->n);
  const bool spread = m->plan.fills && items->n < items->count && items->zipf <= 0 && !items->given;
  return spread && parts_of(m, m->plan.filling.n) > 1 && parts < SPREAD_PARTS ? SPREAD_PARTS : parts;
}

/* The operation on all items, as many at once as there is room for. */
static floe_status run_items(struct measurement *m, enum table_operation operation,
                             const struct bench_items *items, bench_value value,
                             struct bench_outcome *out) {
  unsigned parts = parts_for(m, items);
  *out = (struct bench_outcome){0};
  for (unsigned i = 0; i < parts && !decided(m); i++) {
    struct bench_items part = items_part(items, i, parts);
    struct bench_outcome outcome;
    FLOE_TRY(m->bench->machine->make(m->table, &part, value));
    FLOE_TRY(m->bench->machine->run(m->table, operation, &outcome));
    add_outcome(out, &outcome);
    if (m->bench->interrupted())
      decide(m, FLOE_BENCH_INTERRUPTED, "interrupted");
  }
  if (!decided(m))
    expect(m, "keys without an answer", out->others, 0);
  return FLOE_OK;
}

/* ---- the steps of a repetition -----------------------------------------------------------------
 */

static floe_status empty_and_fill(struct measurement *m, uint64_t seed) {
  FLOE_TRY(m->bench->machine->clear(m->table, seed));
  if (!m->plan.fills)
    return FLOE_OK;
  struct bench_outcome outcome;
  FLOE_TRY(run_items(m, m->plan.fill, &m->plan.filling, m->plan.value, &outcome));
  if (decided(m))
    return FLOE_OK;
  if (outcome.full)
    decide(m, FLOE_BENCH_REFUSED, "filled to %.3f, %llu keys have no place", m->result->before,
           (unsigned long long)outcome.full);
  else
    expect(m, "keys put when it was filled", outcome.put, m->plan.present);
  return FLOE_OK;
}

/* How many keys the operation must put: told by the plan, but for drawn ones, which are counted. */
static floe_status count_fresh(struct measurement *m) {
  const struct bench_plan *plan = &m->plan;
  m->fresh = plan->items.given ? plan->distinct : plan->after - plan->present;
  if (plan->items.zipf > 0)
    FLOE_TRY(m->bench->machine->distinct(m->table, &plan->items, 0, plan->after, &m->fresh));
  m->there = plan->present + m->fresh;
  if (plan->operation == TABLE_DELETE)
    m->there = plan->present - (plan->items.n - plan->items.others);
  return FLOE_OK;
}

static void judge_looking(struct measurement *m, const struct bench_outcome *outcome) {
  uint64_t present = m->plan.items.n - m->plan.items.others;
  expect(m, "keys found", outcome->found, present);
  expect(m, "absent keys", outcome->full, m->plan.items.n - present);
  if (m->plan.operation == TABLE_GET)
    expect(m, "wrong values", outcome->wrong, 0);
}

static void judge_putting(struct measurement *m, const struct bench_outcome *outcome) {
  uint64_t n = m->plan.items.n;
  expect(m, "answers", outcome->found + outcome->put + outcome->full, n);
  if (m->plan.operation == TABLE_PUT_NEW)
    expect(m, "new keys that were found", outcome->found, 0);
  if (outcome->full == 0)
    expect(m, "new keys", outcome->put, m->fresh);
  else if (m->result->verdict == FLOE_BENCH_MEASURED)
    decide(m, FLOE_BENCH_FULL, "%llu keys have no place", (unsigned long long)outcome->full);
}

static void judge(struct measurement *m, const struct bench_outcome *outcome) {
  enum table_operation operation = m->plan.operation;
  m->result->found = outcome->found;
  m->result->put = outcome->put;
  m->result->full = outcome->full;
  if (operation == TABLE_FIND || operation == TABLE_GET || operation == TABLE_DELETE)
    judge_looking(m, outcome);
  else
    judge_putting(m, outcome);
}

/* ---- a closer look -----------------------------------------------------------------------------
 */

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Of ones: as many as keys came. A value holds a sum modulo 2^value_bits, so that where one might have gone round no more
   than that is known of them all. */
static void expect_sum(struct measurement *m, uint64_t sum) {
  const uint64_t wanted = m->plan.present + m->plan.items.n;
  const uint64_t most = UINT64_MAX >> (64 - m->plan.shape.value_bits);
  const uint64_t known = wanted > most ? most : UINT64_MAX;
  expect(m, "sum of all values", sum & known, wanted & known);
}

/* Every key that is to be there is found, and no other of the same numbers. */
static floe_status look_for_all(struct measurement *m) {
  struct bench_items items = m->plan.items;
  uint64_t numbers =
      m->plan.operation == TABLE_DELETE ? m->plan.present : m->plan.after;
  if (!items.given)
    items = (struct bench_items){
        .n = numbers, .key_bits = items.key_bits, .count = numbers, .seed = items.seed + 1};
  struct bench_outcome outcome;
  FLOE_TRY(run_items(m, m->plan.look, &items, 0, &outcome));
  if (decided(m))
    return FLOE_OK;
  expect(m, "keys found that are there", outcome.found, items.given ? items.n : m->there);
  if (m->plan.look != TABLE_GET)
    return FLOE_OK;
  if (m->plan.value)
    expect_sum(m, outcome.sum);
  else
    expect(m, "wrong values", outcome.wrong, 0);
  return FLOE_OK;
}

static floe_status look_for_absent(struct measurement *m) {
  unsigned bits = m->plan.config.key_bits;
  uint64_t first = m->plan.after, last = bits < 64 ? UINT64_C(1) << bits : UINT64_MAX;
  uint64_t n = least(least(ABSENT_KEYS, m->most), last - first);
  if (m->plan.items.given || n == 0)
    return FLOE_OK;
  struct bench_items items = {
      .n = n, .key_bits = bits, .first = first, .count = n, .seed = m->plan.seed};
  struct bench_outcome outcome;
  FLOE_TRY(run_items(m, m->plan.look, &items, 0, &outcome));
  if (!decided(m))
    expect(m, "absent keys that were found", outcome.found, 0);
  return FLOE_OK;
}

static bool is_of(const struct measurement *m, const char *scheme) {
  return strcmp(m->plan.config.scheme, scheme) == 0;
}

/* How far keys are from their homes, in tables that have something to tell. */
static void find_distances(struct measurement *m, const struct table *table) {
  struct probe_lengths lengths;
  struct robin_hood_distances distances;
  if (is_of(m, "linear") && linear_probe_lengths(table, &lengths) == FLOE_OK) {
    m->result->probe_mean = lengths.mean;
    m->result->probe_most = lengths.longest;
  } else if (is_of(m, "robin-hood")) {
    robin_hood_distances(table, &distances);
    m->result->probe_mean = distances.mean;
    m->result->probe_most = distances.largest;
  }
}

static floe_status look_at_table(struct measurement *m) {
  struct table *table;
  struct table_stats stats;
  bool owned;
  const bool has_distances = is_of(m, "linear") || is_of(m, "robin-hood");
  if (m->plan.shape.bytes > (has_distances ? PROBED_BYTES : LOOKED_AT_BYTES))
    return FLOE_OK;
  FLOE_TRY(m->bench->machine->look(m->table, &table, &owned));
  table_stats(table, &stats);
  m->result->third = stats.level_used[2];
  find_distances(m, table);
  if (m->result->verdict != FLOE_BENCH_FULL)
    expect(m, "keys in the table", stats.used, m->there);
  else if (m->plan.operation == TABLE_PUT_NEW)
    expect(m, "keys in the table", stats.used, m->plan.present + m->result->put);
  if (m->plan.shape.slots <= CHECKED_SLOTS)
    expect(m, "keys in wrong places", table_check(table), 0);
  if (owned)
    table_free(table);
  return FLOE_OK;
}

static floe_status look_closer(struct measurement *m) {
  FLOE_TRY(look_at_table(m));
  if (!m->plan.looks || m->result->verdict != FLOE_BENCH_MEASURED)
    return FLOE_OK;
  FLOE_TRY(look_for_all(m));
  return m->result->verdict == FLOE_BENCH_MEASURED ? look_for_absent(m) : FLOE_OK;
}

/* ---- all repetitions ---------------------------------------------------------------------------
 */

/* number 0: the one that warms up. */
static floe_status repeat(struct measurement *m, unsigned number) {
  struct bench_outcome outcome;
  FLOE_TRY(empty_and_fill(m, m->plan.seed + number));
  if (decided(m))
    return FLOE_OK;
  FLOE_TRY(run_items(m, m->plan.operation, &m->plan.items, m->plan.value, &outcome));
  if (decided(m))
    return FLOE_OK;
  judge(m, &outcome);
  if (number > 0)
    m->rates[m->result->repetitions++] = (double)m->plan.items.n / outcome.seconds;
  else if (!decided(m))
    FLOE_TRY(look_closer(m));
  return FLOE_OK;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *values, unsigned n) {
  qsort(values, n, sizeof *values, by_size);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void take_median(struct measurement *m) {
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

static uint64_t writes_of(const struct measurement *m) {
  const floe_bench_result *result = m->result;
  return m->plan.operation == TABLE_ADD      ? m->plan.items.n
         : m->plan.operation == TABLE_DELETE ? result->found
                                             : result->put + result->full;
}

static enum bench_access swap_of(unsigned slot_bits) {
  return slot_bits == 16 ? BENCH_SWAP_16 : slot_bits == 32 ? BENCH_SWAP_32 : BENCH_SWAP_64;
}

/* A key that is put or changed costs a compare-and-swap of a word as wide as a slot, another one a
   read: the least that any table could do. */
static floe_status find_ceiling(struct measurement *m) {
  const struct bench_ceilings *ceilings;
  floe_bench_result *result = m->result;
  if (result->rate <= 0 || m->plan.place != BENCH_AT_HOME || m->plan.shape.bytes < SMALLEST_FOOTPRINT)
    return FLOE_OK;
  const uint64_t writes = writes_of(m), reads = m->plan.items.n - writes;
  const enum bench_access swap = swap_of(m->plan.shape.slot_bits);
  const unsigned wanted = (reads ? 1u << BENCH_READ : 0) | (writes ? 1u << swap : 0);
  floe_status status = bench_ceilings_for(m->bench, m->plan.shape.bytes, wanted, &ceilings);
  if (status == FLOE_ERROR_MEMORY)
    return FLOE_OK; /* there is a figure, if no ceiling */
  FLOE_TRY(status);
  const double seconds = (writes ? (double)writes / ceilings->rates[swap] : 0) +
                         (reads ? (double)reads / ceilings->rates[BENCH_READ] : 0);
  result->ceiling = (double)m->plan.items.n / seconds;
  return FLOE_OK;
}

static floe_status repeat_all(struct measurement *m) {
  FLOE_TRY(count_fresh(m));
  for (unsigned i = 0; i <= m->plan.repetitions && !decided(m); i++)
    FLOE_TRY(repeat(m, i));
  m->result->after =
      (double)(m->plan.operation == TABLE_DELETE ? m->there : m->plan.present + m->result->put) /
      (double)m->plan.slots;
  take_median(m);
  return find_ceiling(m);
}

/* ---- the case ----------------------------------------------------------------------------------
 */

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

static uint64_t room_wanted(const struct bench_plan *plan) {
  uint64_t most = plan->items.n > plan->filling.n ? plan->items.n : plan->filling.n;
  return most > plan->after ? most : plan->after;
}

/* Drawn keys are counted over all of them at once. */
static bool choose_room(struct measurement *m) {
  uint64_t most = m->bench->machine->most_keys(
      m->bench->engine, &m->plan.config, m->plan.place == BENCH_ON_HOST ? 0 : m->plan.shape.bytes);
  const uint64_t wanted = room_wanted(&m->plan);
  m->most = least(most, wanted);
  if (m->most > wanted / MOST_PARTS && (m->plan.items.zipf <= 0 || m->plan.items.n <= m->most))
    return true;
  decide(m, FLOE_BENCH_REFUSED,
         wanted ? "there is no room for the table and its keys" : "there are no keys");
  return false;
}

static floe_status open_and_repeat(struct measurement *m) {
  const struct bench_machine *machine = m->bench->machine;
  FLOE_TRY(machine->open(m->bench->engine, &m->plan.config, m->plan.place, m->most, &m->table));
  m->plan.shape = *machine->shape(m->table);
  m->rates = mem_array(m->plan.repetitions + 1, sizeof *m->rates);
  floe_status status = m->rates ? repeat_all(m) : FLOE_ERROR_MEMORY;
  mem_free(m->rates);
  machine->close(m->table);
  return status;
}

/* What has no room, or is not on this machine, is told in its row, and the next one follows. */
static floe_status measure_table(struct measurement *m) {
  floe_status status = open_and_repeat(m);
  if (status != FLOE_ERROR_MEMORY && status != FLOE_ERROR_UNSUPPORTED)
    return status;
  m->result->rate = m->result->rate_least = m->result->rate_most = 0;
  m->result->repetitions = 0;
  decide(m, FLOE_BENCH_REFUSED,
         status == FLOE_ERROR_MEMORY ? "there is not enough memory for it"
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
    decide(&m, FLOE_BENCH_INTERRUPTED, "interrupted");
  } else if (!plan_make(bench, what, &m.plan, result.why)) {
    result.verdict = FLOE_BENCH_REFUSED;
  } else {
    describe_table(&m);
    if (choose_room(&m))
      FLOE_TRY(measure_table(&m));
  }
  *out = result;
  return FLOE_OK;
}
