/* Sums over elements. Part of step/analysis/invariants.h. */
#ifndef FLOE_STEP_ANALYSIS_LINEAR_TERMS_H
#define FLOE_STEP_ANALYSIS_LINEAR_TERMS_H

#include "step/analysis/range.h"

/* coefficient * value of the element; with a table: table[value - invariants.ranges[element].lo] */
struct linear_term {
  uint32_t element;
  int64_t coefficient;
  const int64_t *table; /* NULL: none */
};

/* A dependent element: its value is constant + the sum of the terms. The elements of the terms are not dependent. The
   element is in no ranges_by_selector. */
struct dependent_element {
  uint32_t element;
  int64_t constant;
  const struct linear_term *terms; /* [term_count] */
  uint32_t term_count;
};

#endif
