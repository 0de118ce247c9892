/* Measures one case: fills the table, runs the operation, judges the answers, again and again with
   other permutations. */
#include "bench/measure.h"

#include "core/mem.h"
#include "core/numbers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST_FOOTPRINT (UINT64_C(1) << 20) /* smaller tables have no ceiling to speak of */
#define SPREAD_PARTS 16
#define MOST_PARTS 1024 /* keys that come in more of them are too many for this machine */

/* ---- verdicts -------------------------------------------------------------------------------- */

void decide(struct measurement *m, floe_bench_verdict verdict, const char *format, ...) {
  if (m->result->verdict == FLOE_BENCH_WRONG)
    return; /* the first one is the cause */
  va_list args;
  va_start(args, format);
  m->result->verdict = verdict;
  vsnprintf(m->result->why, sizeof m->result->why, format, args);
  va_end(args);
}

bool decided(const struct measurement *m) {
  return m->result->verdict != FLOE_BENCH_MEASURED && m->result->verdict != FLOE_BENCH_FULL;
}

void expect(struct measurement *m, const char *what, uint64_t found, uint64_t wanted) {
  if (found != wanted)
    decide(m, FLOE_BENCH_WRONG, "%s: %llu instead of %llu", what, (unsigned long long)found,
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

/* Of a table that is filled in parts the first keys have the best places: keys to be looked up are to come from all
   parts alike, where there are fewer of them. Part i takes the beginning of the i-th share of the numbers. */
static unsigned parts_for(const struct measurement *m, const struct bench_items *items) {
  const unsigned parts = parts_of(m, items->n);
  const bool spread = m->plan.fills && items->n < items->count && items->zipf <= 0 && !items->given;
  return spread && parts_of(m, m->plan.filling.n) > 1 && parts < SPREAD_PARTS ? SPREAD_PARTS : parts;
}

/* Those of the last run, as far as there is room for them. */
static floe_status take_returned(struct measurement *m, const struct bench_outcome *outcome) {
  if (!m->returned.keys)
    m->returned.keys = mem_array(MOST_RETURNED, sizeof *m->returned.keys);
  if (!m->returned.keys)
    return FLOE_ERROR_MEMORY;
  const uint64_t room = MOST_RETURNED - m->returned.n;
  const uint64_t wanted = outcome->full < room ? outcome->full : room;
  uint64_t n = 0;
  FLOE_TRY(m->bench->machine->returned(m->table, wanted, m->returned.keys + m->returned.n, &n));
  m->returned.n += n;
  expect(m, "keys that came back", n, wanted);
  return FLOE_OK;
}

floe_status run_items(struct measurement *m, enum table_operation operation, const struct bench_items *items,
                      bench_value value, struct bench_outcome *out) {
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
    else if (m->returned.wanted && outcome.full)
      FLOE_TRY(take_returned(m, &outcome));
  }
  if (!decided(m))
    expect(m, "keys without an answer", out->others, 0);
  return FLOE_OK;
}

/* ---- the steps of a repetition --------------------------------------------------------------- */

static floe_status empty_and_fill(struct measurement *m, uint64_t seed) {
  FLOE_TRY(m->bench->machine->clear(m->table, seed));
  if (!m->plan.fills)
    return FLOE_OK;
  struct bench_outcome outcome;
  FLOE_TRY(run_items(m, m->plan.fill, &m->plan.filling, m->plan.value, &outcome));
  if (decided(m))
    return FLOE_OK;
  if (outcome.full)
    decide(m, plan_must_fit(&m->plan, m->plan.present) ? FLOE_BENCH_WRONG : FLOE_BENCH_REFUSED,
           "filled to %.3f, %llu keys have no place", m->result->before, (unsigned long long)outcome.full);
  else
    expect(m, "keys put when it was filled", outcome.put, m->plan.present);
  return FLOE_OK;
}

static bool is_looking(enum table_operation operation) {
  return operation == TABLE_FIND || operation == TABLE_GET || operation == TABLE_DELETE;
}

/* How many keys the operation must put: told by the plan, but for drawn ones, which are counted. */
static floe_status count_fresh(struct measurement *m) {
  const struct bench_plan *plan = &m->plan;
  if (is_looking(plan->operation))
    m->fresh = 0;
  else if (plan->items.zipf > 0)
    FLOE_TRY(m->bench->machine->distinct(m->table, &plan->items, 0, plan->after, &m->fresh));
  else
    m->fresh = plan->items.given ? plan->distinct : plan->after - plan->present;
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

/* No error, but where the table must have room. */
static void judge_full(struct measurement *m, uint64_t full) {
  m->full_runs++;
  if (full > m->most_full)
    m->most_full = full;
  if (plan_must_fit(&m->plan, m->there))
    decide(m, FLOE_BENCH_WRONG, "%llu keys have no place at fill factor %.3f", (unsigned long long)full,
           (double)m->there / (double)m->plan.slots);
  else
    decide(m, FLOE_BENCH_FULL, "keys have no place");
}

static void judge_putting(struct measurement *m, const struct bench_outcome *outcome) {
  uint64_t n = m->plan.items.n;
  expect(m, "answers", outcome->found + outcome->put + outcome->full, n);
  if (m->plan.operation == TABLE_PUT_NEW)
    expect(m, "new keys that were found", outcome->found, 0);
  if (outcome->full == 0)
    expect(m, "new keys", outcome->put, m->fresh);
  else
    judge_full(m, outcome->full);
}

static void judge(struct measurement *m, const struct bench_outcome *outcome) {
  m->result->found = outcome->found;
  m->result->put = outcome->put;
  m->result->full = outcome->full;
  if (is_looking(m->plan.operation))
    judge_looking(m, outcome);
  else
    judge_putting(m, outcome);
}

/* ---- all repetitions ------------------------------------------------------------------------- */

/* Keys are different from each other where all are put: then none that comes back is in the table for another one. */
static floe_status operate(struct measurement *m, bool closely, struct bench_outcome *out) {
  m->returned.n = 0;
  m->returned.wanted = closely && m->plan.operation == TABLE_PUT_NEW;
  floe_status status = run_items(m, m->plan.operation, &m->plan.items, m->plan.value, out);
  m->returned.wanted = false;
  return status;
}

/* number 0: the one that warms up. It and the last one are looked at closely. */
static floe_status repeat(struct measurement *m, unsigned number) {
  const bool closely = number == 0 || number == m->plan.repetitions;
  struct bench_outcome outcome;
  FLOE_TRY(empty_and_fill(m, m->plan.seed + number));
  if (decided(m))
    return FLOE_OK;
  FLOE_TRY(operate(m, closely, &outcome));
  if (decided(m))
    return FLOE_OK;
  m->runs++;
  judge(m, &outcome);
  if (number > 0)
    m->rates[m->result->repetitions++] = (double)m->plan.items.n / outcome.seconds;
  return closely && !decided(m) ? look_closer(m) : FLOE_OK;
}

/* The columns are those of the last run. */
static void tell_full(struct measurement *m) {
  if (m->result->verdict != FLOE_BENCH_FULL)
    return;
  if (m->full_runs == m->runs)
    decide(m, FLOE_BENCH_FULL, "%llu keys have no place", (unsigned long long)m->result->full);
  else
    decide(m, FLOE_BENCH_FULL, "in %u of %u runs up to %llu keys have no place", m->full_runs, m->runs,
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

/* Keys that no table could deal with but by writing: a value that stays the same is only read. */
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

/* Of the word that is swapped: in some maps of 32 bits key and value are one. False: it is not measured. */
static bool swap_of(const struct bench_plan *plan, enum bench_access *out) {
  const bool pairs = table_traits(plan->config.scheme)->joins_halves && plan->shape.value_bits == 32;
  const unsigned bits = pairs ? 64 : plan->shape.slot_bits;
  *out = bits == 16 ? BENCH_SWAP_16 : bits == 32 ? BENCH_SWAP_32 : BENCH_SWAP_64;
  return bits <= 64;
}

/* A key that is put or changed costs a compare-and-swap of a word as wide as a slot, another one a
   read: the least that any table could do. */
static floe_status find_ceiling(struct measurement *m) {
  const struct bench_ceilings *ceilings;
  floe_bench_result *result = m->result;
  const uint64_t writes = writes_of(m), reads = m->plan.items.n - writes;
  enum bench_access swap;
  if ((!swap_of(&m->plan, &swap) && writes) || result->rate <= 0 || m->plan.shape.bytes < SMALLEST_FOOTPRINT)
    return FLOE_OK;
  const unsigned wanted = (reads ? 1u << BENCH_READ : 0) | (writes ? 1u << swap : 0);
  floe_status status = bench_ceilings_for(m->bench, m->plan.place, m->plan.shape.bytes, wanted, &ceilings);
  if (status == FLOE_ERROR_MEMORY)
    return FLOE_OK; /* there is a figure, if no ceiling */
  FLOE_TRY(status);
  const double seconds =
      (writes ? (double)writes / ceilings->rates[swap] : 0) + (reads ? (double)reads / ceilings->rates[BENCH_READ] : 0);
  result->ceiling = (double)m->plan.items.n / seconds;
  return FLOE_OK;
}

static floe_status repeat_all(struct measurement *m) {
  FLOE_TRY(count_fresh(m));
  for (unsigned i = 0; i <= m->plan.repetitions && !decided(m); i++)
    FLOE_TRY(repeat(m, i));
  m->result->after =
      (double)(m->plan.operation == TABLE_DELETE ? m->there : m->plan.present + m->result->put) / (double)m->plan.slots;
  tell_full(m);
  take_median(m);
  return find_ceiling(m);
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

static uint64_t room_wanted(const struct bench_plan *plan) {
  uint64_t most = plan->items.n > plan->filling.n ? plan->items.n : plan->filling.n;
  return most > plan->after ? most : plan->after;
}

/* Drawn keys are counted over all of them at once. */
static bool choose_room(struct measurement *m) {
  uint64_t most = m->bench->machine->most_keys(m->bench->engine, &m->plan.config,
                                               m->plan.place == BENCH_ON_HOST ? 0 : m->plan.shape.bytes);
  const uint64_t wanted = room_wanted(&m->plan);
  m->most = least(most, wanted);
  const bool counts = m->plan.items.zipf > 0 && !is_looking(m->plan.operation);
  if (m->most > wanted / MOST_PARTS && (!counts || m->plan.items.n <= m->most))
    return true;
  decide(m, FLOE_BENCH_REFUSED, wanted ? "there is no room for the table and its keys" : "there are no keys");
  return false;
}

static floe_status open_and_repeat(struct measurement *m) {
  const struct bench_machine *machine = m->bench->machine;
  FLOE_TRY(machine->open(m->bench->engine, &m->plan.config, m->plan.place, m->most, &m->table));
  m->plan.shape = *machine->shape(m->table);
  m->rates = mem_array(m->plan.repetitions + 1, sizeof *m->rates);
  floe_status status = m->rates ? repeat_all(m) : FLOE_ERROR_MEMORY;
  mem_free(m->rates);
  mem_free(m->returned.keys);
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
         status == FLOE_ERROR_MEMORY ? "there is not enough memory for it" : "this machine has no such table");
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
