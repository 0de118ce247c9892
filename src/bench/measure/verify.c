/* Detailed check of a table after an operation: it has all expected keys, and no others. */
#include "bench/measure/measure.h"

#include "base/numbers.h"

#include <stdlib.h>

#define CHECKED_BYTES (UINT64_C(512) << 20) /* larger tables are not checked as a whole */
#define PROBED_BYTES (UINT64_C(1280) << 20) /* the same for tables with probe lengths */
#define AGAIN_BYTES (UINT64_C(64) << 20)    /* the same after the last run */
#define CHECKED_SLOTS (UINT64_C(1) << 23)   /* larger tables are not checked for misplaced keys */
#define ABSENT_KEYS (UINT64_C(1) << 22)     /* number of absent keys that are looked up */

/* ---- what is expected ------------------------------------------------------------------------ */

static bool has_full_answers(const struct measurement *m) { return m->result->verdict == FLOE_BENCH_FULL; }

/* Each answer PUT is one key more, even if another key was returned. */
static uint64_t expected_count(const struct measurement *m) {
  return has_full_answers(m) && m->result->full ? m->plan.present + m->result->put : m->there;
}

/* The sum of ones equals the number of keys, unless keys were returned. A value holds a sum modulo 2^value_bits; if
   one may have overflowed, the total is compared modulo that only. */
static void expect_sum(struct measurement *m, uint64_t sum) {
  if (m->result->full)
    return;
  const uint64_t wanted = m->plan.present + m->plan.items.n;
  const uint64_t most = UINT64_MAX >> (64 - m->plan.shape.value_bits);
  const uint64_t known = wanted > most ? most : UINT64_MAX;
  expect_equal(m, "sum of all values", sum & known, wanted & known);
}

/* Every expected key is found, and no other of the same numbers. */
static floe_status verify_present(struct measurement *m) {
  struct bench_items items = m->plan.different;
  uint64_t numbers = m->plan.operation == TABLE_DELETE ? m->plan.present : m->plan.after;
  if (!items.given)
    items = (struct bench_items){
        .n = numbers, .key_bits = m->plan.items.key_bits, .count = numbers, .seed = m->plan.items.seed + 1};
  struct bench_outcome outcome;
  FLOE_TRY(run_items(m, m->plan.look, &items, 0, &outcome));
  if (measurement_ended(m))
    return FLOE_OK;
  expect_equal(m, "present keys found", outcome.found, expected_count(m));
  if (m->plan.look != TABLE_GET)
    return FLOE_OK;
  if (m->plan.value)
    expect_sum(m, outcome.sum);
  else
    expect_equal(m, "wrong values", outcome.wrong, 0);
  return FLOE_OK;
}

static floe_status verify_absent(struct measurement *m) {
  unsigned bits = m->plan.config.key_bits;
  uint64_t first = m->plan.after, last = bits < 64 ? UINT64_C(1) << bits : UINT64_MAX;
  uint64_t n = least(least(ABSENT_KEYS, m->most), last - first);
  if (m->plan.items.given || n == 0)
    return FLOE_OK;
  struct bench_items items = {.n = n, .key_bits = bits, .first = first, .count = n, .seed = m->plan.seed};
  struct bench_outcome outcome;
  FLOE_TRY(run_items(m, m->plan.look, &items, 0, &outcome));
  if (!measurement_ended(m))
    expect_equal(m, "absent keys that were found", outcome.found, 0);
  return FLOE_OK;
}

/* Distances of keys from their homes, for tables that have them. */
static void record_distances(struct measurement *m, const struct table *table) {
  struct table_distances distances;
  if (!table_distances(table, &distances))
    return;
  m->result->probe_mean = distances.mean;
  m->result->probe_most = distances.largest;
}

static bool is_checked(const struct measurement *m) {
  const bool has_distances = table_has_distances(m->plan.config.scheme);
  const uint64_t most = m->runs > 1 ? AGAIN_BYTES : has_distances ? PROBED_BYTES : CHECKED_BYTES;
  return m->plan.shape.bytes <= most;
}

static floe_status check_whole_table(struct measurement *m) {
  struct table *table;
  struct table_stats stats;
  bool owned;
  if (!is_checked(m))
    return FLOE_OK;
  FLOE_TRY(m->bench->device->host_view(m->table, &table, &owned));
  table_stats(table, &stats);
  m->result->third = stats.level_used[2];
  record_distances(m, table);
  expect_equal(m, "keys in the table", stats.used, expected_count(m));
  if (m->plan.shape.slots <= CHECKED_SLOTS)
    expect_equal(m, "keys in wrong places", table_check(table), 0);
  if (owned)
    table_free(table);
  return FLOE_OK;
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Returned keys must not be in the table, and no key may be returned twice: another key would be lost. */
static floe_status verify_returned(struct measurement *m) {
  uint64_t *keys = m->returned.keys, n = m->returned.n, twice = 0;
  if (n == 0)
    return FLOE_OK;
  qsort(keys, n, sizeof *keys, by_value);
  for (uint64_t i = 1; i < n; i++)
    twice += keys[i] == keys[i - 1];
  expect_equal(m, "keys returned twice", twice, 0);
  if (measurement_ended(m))
    return FLOE_OK;
  struct bench_items items = {.n = n, .key_bits = m->plan.config.key_bits, .given = keys};
  struct bench_outcome outcome;
  FLOE_TRY(run_items(m, m->plan.look, &items, 0, &outcome));
  if (!measurement_ended(m))
    expect_equal(m, "returned keys found in the table", outcome.found, 0);
  return FLOE_OK;
}

floe_status verify_table(struct measurement *m) {
  FLOE_TRY(check_whole_table(m));
  if (!m->plan.looks || measurement_ended(m))
    return FLOE_OK;
  FLOE_TRY(verify_present(m));
  if (!measurement_ended(m))
    FLOE_TRY(verify_returned(m));
  return measurement_ended(m) ? FLOE_OK : verify_absent(m);
}
