#include "tables/api/content.h"

#include <assert.h>
#include <string.h>

/* ---- iteration ------------------------------------------------------------------------------- */

struct visitor {
  struct table *table;
  void (*visit)(void *user, const uint64_t *keys, const uint64_t *values, size_t n);
  void *user;
};

static void visit_keys(void *user, const uint64_t *keys, size_t n) {
  const struct visitor *visitor = user;
  visitor->visit(visitor->user, keys, NULL, n);
}

/* The casts are safe: GET writes to neither the keys nor the table. */
static void visit_pairs(void *user, const uint64_t *keys, size_t n) {
  enum { MOST = 256 };
  const struct visitor *visitor = user;
  uint64_t values[MOST];
  uint8_t answers[MOST];
  for (size_t at = 0; at < n; at += MOST) {
    const size_t count = n - at < MOST ? n - at : (size_t)MOST;
    size_t absent = table_run(visitor->table, TABLE_GET, (uint64_t *)keys + at, values, count, answers);
    assert(absent == 0);
    (void)absent;
    visitor->visit(visitor->user, keys + at, values, count);
  }
}

void hash_each(struct table *table, unsigned part, unsigned parts,
               void (*visit)(void *user, const uint64_t *keys, const uint64_t *values, size_t n), void *user) {
  assert(part < parts);
  struct visitor visitor = {table, visit, user};
  const bool is_map = table_shape(table)->value_bits != 0;
  table_each(table, part, parts, is_map ? visit_pairs : visit_keys, &visitor);
}

/* ---- statistics ------------------------------------------------------------------------------ */

static void add_distances(const struct table *table, floe_hash_stats *out) {
  struct table_distances distances;
  if (!table_distances(table, &distances))
    return;
  out->has_distances = true;
  out->distance_mean = distances.mean;
  out->distance_most = distances.largest;
  static_assert(sizeof distances.histogram == sizeof out->distances, "the same histogram");
  memcpy(out->distances, distances.histogram, sizeof distances.histogram);
}

void hash_stats(const struct table *table, floe_hash_stats *out) {
  struct table_stats found;
  table_stats(table, &found);
  floe_hash_stats stats = {.slots = found.slots, .used = found.used, .deleted = found.deleted};
  static_assert(sizeof stats.level_slots == sizeof found.level_slots &&
                    sizeof stats.load_histogram == sizeof found.load_histogram,
                "the same figures");
  memcpy(stats.level_slots, found.level_slots, sizeof found.level_slots);
  memcpy(stats.level_used, found.level_used, sizeof found.level_used);
  memcpy(stats.load_histogram, found.load_histogram, sizeof found.load_histogram);
  add_distances(table, &stats);
  *out = stats;
}
