/* Which elements select ranges of which others. A part of step/analysis/value_ranges.h. */
#ifndef FLOE_FACTS_SELECTORS_H
#define FLOE_FACTS_SELECTORS_H

#include "step/analysis/intervals.h"

struct ranges_selector {
  uint32_t element;
  int64_t lo;     /* value of the first case */
  uint32_t cases; /* of its declared range */
  uint32_t member_count;
  const uint32_t *members; /* each of this selector alone; none is a selector */
};

struct ranges {
  struct invariants_range *all; /* of each element; lo..hi where nothing is known */
  const struct ranges_selector *selectors;
  uint32_t selector_count;
  /* For each selector, for each case: the selector's own value (empty: never), then the members. */
  struct invariants_range *const *cases;
  const uint32_t *selector_of; /* of elements: number of the selector whose element or member it is; NO_NUMBER */
  const bool *unfollowed;      /* of variables: see struct intervals */
  bool known;                  /* false: they are the declared ranges, and there are no selectors */
};

#define NO_NUMBER UINT32_MAX

static inline struct invariants_range *ranges_case(const struct ranges *ranges, uint32_t selector, int64_t value) {
  const struct ranges_selector *s = &ranges->selectors[selector];
  return &ranges->cases[selector][(size_t)(value - s->lo) * (s->member_count + 1)];
}

/* Fills selectors, selector_count and selector_of: locations select ranges of the local variables of their instance and
   of global ones that change only in transitions which leave a known location of it; lengths those of their channel's
   places. */
void selectors_choose(const struct intervals *intervals, struct ranges *ranges);

#endif
