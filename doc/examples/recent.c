/* A cache in two levels by libfloe: a working-set table holds results computed for numbers, those used last in its
   first level, on a GPU if there is one. Each batch looks up some numbers and puts the results computed for the
   batch before.

       cc recent.c -o recent $(pkg-config --cflags --libs libfloe)
       ./recent */
#include <floe_tables.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 10000, ROUNDS = 40, NUMBERS = 100000 };

static floe_log *log;

/* The library prints nothing. */
static void must(floe_status status, const char *what) {
  if (status == FLOE_OK)
    return;
  fprintf(stderr, "%s: %s\n", what, floe_log_count(log) ? floe_log_at(log, 0)->message : floe_status_name(status));
  exit(EXIT_FAILURE);
}

static uint64_t expensive(uint64_t x) { return x * x; }

/* Mostly small numbers. */
static uint64_t draw(void) {
  static uint64_t state = 1;
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  const uint64_t x = (state >> 33) % NUMBERS, y = (state >> 17) % NUMBERS;
  return x * y / NUMBERS;
}

static struct {
  uint8_t operations[2 * BATCH], answers[2 * BATCH];
  uint64_t keys[2 * BATCH], values[2 * BATCH];
  size_t n;
} batch;

static void add(floe_hash_operation operation, uint64_t key, uint64_t value) {
  batch.operations[batch.n] = (uint8_t)operation;
  batch.keys[batch.n] = key;
  batch.values[batch.n++] = value;
}

/* Puts of the absent numbers are at the beginning of the next batch. Returns their number. */
static size_t compute_absent(void) {
  const size_t n = batch.n;
  size_t absent = 0;
  batch.n = 0;
  for (size_t i = 0; i < n; i++)
    if (batch.operations[i] == FLOE_HASH_GET && batch.answers[i] == FLOE_HASH_NONE) {
      absent++;
      add(FLOE_HASH_PUT, batch.keys[i], expensive(batch.keys[i]));
    }
  return absent;
}

int main(void) {
  floe_hash_options options;
  floe_hash_table *table;
  floe_hash_stats stats;
  size_t computed = 0, full;
  must(floe_log_create(&log), "log");
  floe_hash_options_init(&options);
  options.scheme = "working-set";
  options.value_bits = 64;
  options.slots = NUMBERS + 1000;
  options.recent_slots = 1000;
  options.engine = FLOE_ENGINE_AUTO;
  must(floe_hash_create(&options, log, &table), "table");
  for (int i = 0; i < ROUNDS; i++) {
    for (size_t k = 0; k < BATCH; k++)
      add(FLOE_HASH_GET, draw(), 0);
    must(floe_hash_run_mixed(table, batch.operations, batch.keys, batch.values, batch.n, batch.answers, &full),
         "batch");
    computed += compute_absent();
  }
  must(floe_hash_statistics(table, &stats), "statistics");
  printf("%d asked, %zu computed, %" PRIu64 " at hand, %" PRIu64 " of them the last used\n", BATCH * ROUNDS, computed,
         stats.used, stats.level_used[0]);
  floe_hash_free(table);
  floe_log_free(log);
  return EXIT_SUCCESS;
}
