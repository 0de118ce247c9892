/* By how much firings change elements, for linear invariants. A part of step/facts.h.

   A firing is split by the values of what it writes and reads, so long as those are few, until it changes each element
   by a known difference, or from a known value to a known one. Where neither can be told the element is of no use. */
#ifndef FLOE_FACTS_CHANGES_H
#define FLOE_FACTS_CHANGES_H

#include "step/facts_ranges.h"

/* Elements of at most so many values may be told value by value. */
#define CHANGES_MAX_VALUES 64

struct change {
  uint32_t element;
  bool from_to; /* `from` and `to` are known, as long as the element is useful by value */
  int64_t difference, from, to;
};

struct changes {
  const struct change *items;
  const size_t *ends; /* of each firing's changes in items */
  size_t firing_count;
  const bool *useful;          /* of elements: every difference is known */
  const bool *useful_by_value; /* of elements that are useful: every change is from a known value to a known one */
};

/* All from `arena`, whose guard is active. NULL: stopped, or there is too much to look at. */
const struct changes *changes_make(const struct model *model, const struct ranges *ranges, const struct stop *stop,
                                   struct arena *arena);

#endif
