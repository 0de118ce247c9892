/* Sums over elements. A part of step/analysis/invariants.h. */
#ifndef FLOE_FACTS_TERMS_H
#define FLOE_FACTS_TERMS_H

#include "step/analysis/range.h"

/* coefficient * value of the element; or, with a table, table[value - facts.ranges[element].lo] */
struct invariants_term {
  uint32_t element;
  int64_t coefficient;
  const int64_t *table; /* NULL: none */
};

/* An element that others determine: constant + the sum of the terms. These are not determined themselves.
   It is in no facts_by. */
struct invariants_dependent {
  uint32_t element;
  int64_t constant;
  const struct invariants_term *terms; /* [term_count] */
  uint32_t term_count;
};

#endif
