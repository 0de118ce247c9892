/* Selectors: elements by whose value ranges of other elements are kept. Part of step/analysis/value_ranges.h. */
#ifndef FLOE_STEP_ANALYSIS_RANGE_SELECTORS_H
#define FLOE_STEP_ANALYSIS_RANGE_SELECTORS_H

#include "step/analysis/intervals.h"

struct range_selector {
  uint32_t element;
  int64_t lo;     /* value of the first case */
  uint32_t cases; /* number of values of its declared range */
  uint32_t element_count;
  const uint32_t *elements; /* each belongs to this selector alone; none is a selector */
};

struct ranges {
  struct value_interval *all; /* [element] range; the declared one if nothing is known */
  const struct range_selector *selectors;
  uint32_t selector_count;
  /* [selector] for each case: the selector's own value (empty: never), then the ranges of its elements */
  struct value_interval *const *cases;
  const uint32_t *selector_of; /* [element] number of the selector that it is or belongs to; NO_NUMBER */
  const bool *untracked;       /* [variable] see struct intervals */
  bool known;                  /* false: all are declared ranges, and there are no selectors */
};

#define NO_NUMBER UINT32_MAX

static inline struct value_interval *ranges_case(const struct ranges *ranges, uint32_t selector, int64_t value) {
  const struct range_selector *s = &ranges->selectors[selector];
  return &ranges->cases[selector][(size_t)(value - s->lo) * (s->element_count + 1)];
}

/* Fills selectors, selector_count and selector_of. A location selects ranges of the local variables of its instance,
   and of global variables that change only in transitions from a known location of it. A length selects ranges of its
   channel's places. */
void selectors_choose(const struct intervals *intervals, struct ranges *ranges);

#endif
