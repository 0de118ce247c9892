/* Names of operations, verdicts, tables and permutations (floe_bench.h). */
#include "bench/floe_bench.h"

#include "tables/permutation.h"
#include "tables/table.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

const char *floe_bench_operation_name(floe_bench_operation operation) {
  static const char *const names[] = {
#define BENCH_OPERATION(operation, word, table, looks, draws) word,
#include "bench/operations.def"
  };
  return (size_t)operation < sizeof names / sizeof *names ? names[operation] : "unknown";
}

const char *floe_bench_verdict_name(floe_bench_verdict verdict) {
  static const char *const names[] = {"measured", "refused", "full", "wrong", "interrupted"};
  return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : "unknown";
}

/* Entry i of a NULL-terminated list. */
static const char *list_entry(const char *const *names, size_t i) {
  for (size_t n = 0; names[n]; n++)
    if (n == i)
      return names[n];
  return NULL;
}

const char *floe_bench_table(size_t i) { return list_entry(table_schemes(), i); }

floe_bench_traits floe_bench_table_traits(const char *table) {
  const struct table_traits *traits = table ? table_traits(table) : NULL;
  if (!traits)
    return (floe_bench_traits){0};
  floe_bench_traits out = {
      .bucket_slots = traits->bucket_slots[0] != 0, .second_slot_bits = traits->second_level, .hashes = traits->hashes};
  static_assert(sizeof out.slot_bits == sizeof traits->slot_bits, "all widths have room");
  memcpy(out.slot_bits, traits->slot_bits, sizeof out.slot_bits);
  return out;
}

const char *floe_bench_permutation(size_t i) { return list_entry(permutation_names(), i); }
