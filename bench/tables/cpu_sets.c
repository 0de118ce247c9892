/* floe's tables under the workload of cpu_sets.h. cpu_sets_no_prefetch is the same without prefetch: the plain loop. */
#include "cpu_sets.h"

#include "core/mem.h"
#include "tables/table.h"

#include <string.h>

#ifndef VARIANT
#define VARIANT ""
#endif

/* Memory for all keys from the start, as for the other sets. */
static void *create(const char *scheme, double fill, uint64_t distinct) {
  const struct table_config config = {
      .scheme = scheme, .key_bits = KEY_BITS, .packed = true, .slots = (uint64_t)((double)distinct / fill)};
  struct table *table;
  return table_create(&config, &table) == FLOE_OK ? table : NULL;
}

static void *create_iceberg(uint64_t distinct, unsigned threads) {
  (void)threads;
  return create("iceberg", TABLE_FILL, distinct);
}

static void *create_linear(uint64_t distinct, unsigned threads) {
  (void)threads;
  return create("linear", 0.75, distinct);
}

static size_t put(void *set, unsigned thread, const uint64_t *keys, size_t n) {
  uint8_t answers[BATCH];
  size_t fresh = 0;
  (void)thread;
  table_find_or_put(set, keys, n, answers);
  for (size_t i = 0; i < n; i++)
    fresh += answers[i] == TABLE_PUT;
  return fresh;
}

static uint64_t bytes(void *set) { return table_shape(set)->bytes; }
static void destroy(void *set) { table_free(set); }

int main(int argc, char **argv) {
  const struct cpu_set kinds[] = {
      {"iceberg" VARIANT, create_iceberg, put, bytes, destroy},
      {"linear" VARIANT, create_linear, put, bytes, destroy},
  };
  return cpu_sets_main(kinds, sizeof kinds / sizeof *kinds, argc, argv);
}
