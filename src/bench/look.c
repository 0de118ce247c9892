/* The closer look at a table after an operation: all that is to be in it is there, and nothing else. */
#include "bench/measure.h"

#include "core/numbers.h"

#include <stdlib.h>

#define LOOKED_AT_BYTES (UINT64_C(512) << 20) /* larger tables are not looked at as a whole */
#define PROBED_BYTES (UINT64_C(1280) << 20)   /* nor those with probe lengths */
#define AGAIN_BYTES (UINT64_C(64) << 20)      /* nor those after the last run */
#define CHECKED_SLOTS (UINT64_C(1) << 23)     /* nor their every key */
#define ABSENT_KEYS (UINT64_C(1) << 22)       /* so many absent keys are asked for */

/* ---- what is expected ------------------------------------------------------------------------ */

static bool is_full(const struct measurement *m) { return m->result->verdict == FLOE_BENCH_FULL; }

/* Each answer PUT is one key more, also where another one came back for it. */
static uint64_t in_table(const struct measurement *m) {
  return is_full(m) && m->result->full ? m->plan.present + m->result->put : m->there;
}

/* Of ones: as many as keys came, but for those that came back. A value holds a sum modulo 2^value_bits, so that where
   one might have gone round no more than that is known of them all. */
static void expect_sum(struct measurement *m, uint64_t sum) {
  if (m->result->full)
    return;
  const uint64_t wanted = m->plan.present + m->plan.items.n;
  const uint64_t most = UINT64_MAX >> (64 - m->plan.shape.value_bits);
  const uint64_t known = wanted > most ? most : UINT64_MAX;
  expect(m, "sum of all values", sum & known, wanted & known);
}

/* Every key that is to be there is found, and no other of the same numbers. */
static floe_status look_for_all(struct measurement *m) {
  struct bench_items items = m->plan.different;
  uint64_t numbers = m->plan.operation == TABLE_DELETE ? m->plan.present : m->plan.after;
  if (!items.given)
    items = (struct bench_items){
        .n = numbers, .key_bits = m->plan.items.key_bits, .count = numbers, .seed = m->plan.items.seed + 1};
  struct bench_outcome outcome;
  FLOE_TRY(run_items(m, m->plan.look, &items, 0, &outcome));
  if (decided(m))
    return FLOE_OK;
  expect(m, "keys found that are there", outcome.found, in_table(m));
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
  struct bench_items items = {.n = n, .key_bits = bits, .first = first, .count = n, .seed = m->plan.seed};
  struct bench_outcome outcome;
  FLOE_TRY(run_items(m, m->plan.look, &items, 0, &outcome));
  if (!decided(m))
    expect(m, "absent keys that were found", outcome.found, 0);
  return FLOE_OK;
}

/* How far keys are from their homes, in tables that have something to tell. */
static void find_distances(struct measurement *m, const struct table *table) {
  struct table_distances distances;
  if (!table_distances(table, &distances))
    return;
  m->result->probe_mean = distances.mean;
  m->result->probe_most = distances.largest;
}

static bool is_looked_at(const struct measurement *m) {
  const bool has_distances = table_has_distances(m->plan.config.scheme);
  const uint64_t most = m->runs > 1 ? AGAIN_BYTES : has_distances ? PROBED_BYTES : LOOKED_AT_BYTES;
  return m->plan.shape.bytes <= most;
}

static floe_status look_at_table(struct measurement *m) {
  struct table *table;
  struct table_stats stats;
  bool owned;
  if (!is_looked_at(m))
    return FLOE_OK;
  FLOE_TRY(m->bench->machine->look(m->table, &table, &owned));
  table_stats(table, &stats);
  m->result->third = stats.level_used[2];
  find_distances(m, table);
  expect(m, "keys in the table", stats.used, in_table(m));
  if (m->plan.shape.slots <= CHECKED_SLOTS)
    expect(m, "keys in wrong places", table_check(table), 0);
  if (owned)
    table_free(table);
  return FLOE_OK;
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Keys that came back are not in the table, and none came back twice: so many others would be lost. */
static floe_status look_for_returned(struct measurement *m) {
  uint64_t *keys = m->returned.keys, n = m->returned.n, twice = 0;
  if (n == 0)
    return FLOE_OK;
  qsort(keys, n, sizeof *keys, by_value);
  for (uint64_t i = 1; i < n; i++)
    twice += keys[i] == keys[i - 1];
  expect(m, "keys that came back twice", twice, 0);
  if (decided(m))
    return FLOE_OK;
  struct bench_items items = {.n = n, .key_bits = m->plan.config.key_bits, .given = keys};
  struct bench_outcome outcome;
  FLOE_TRY(run_items(m, m->plan.look, &items, 0, &outcome));
  if (!decided(m))
    expect(m, "keys that came back and are there", outcome.found, 0);
  return FLOE_OK;
}

floe_status look_closer(struct measurement *m) {
  FLOE_TRY(look_at_table(m));
  if (!m->plan.looks || decided(m))
    return FLOE_OK;
  FLOE_TRY(look_for_all(m));
  if (!decided(m))
    FLOE_TRY(look_for_returned(m));
  return decided(m) ? FLOE_OK : look_for_absent(m);
}
