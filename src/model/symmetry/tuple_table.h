/* Numbers for tuples of words: equal tuples have equal numbers, different ones different numbers. */
#ifndef FLOE_MODEL_SYMMETRY_TUPLE_TABLE_H
#define FLOE_MODEL_SYMMETRY_TUPLE_TABLE_H

#include "core/arena.h"

#include <stdint.h>

struct tuple {
  const uint64_t *words;
  size_t n;
};

struct tuple_table {
  struct arena *arena; /* its guard is active */
  struct tuple *items; /* by number */
  size_t count, cap;
  uint32_t *slots; /* number + 1, found by hash; 0: free */
  size_t slot_count;
};

uint32_t tuple_number(struct tuple_table *table, const uint64_t *words, size_t n);

#endif
