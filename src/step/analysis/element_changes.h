/* By how much firings change elements, for linear invariants. A part of step/analysis/invariants.h.

   A firing is split by the values of what it writes and reads, so long as those are few, until it changes each element
   by a known difference, or from a known value to a known one. Where neither can be told the element is of no use. */
#ifndef FLOE_FACTS_CHANGES_H
#define FLOE_FACTS_CHANGES_H

#include "step/analysis/linear_terms.h"
#include "step/analysis/value_ranges.h"

/* Elements of at most so many values may be told value by value. */
#define CHANGES_MAX_VALUES 64

struct change {
  uint32_t element;
  bool from_to; /* `from` and `to` are known, as long as the element is useful by value */
  int64_t difference, from, to;
};

/* The sum of the terms is constant. */
struct constraint {
  const struct invariants_term *terms; /* tables only of elements that are useful by value */
  uint32_t term_count;
  int64_t constant;
};

struct changes {
  const struct change *items;
  const size_t *ends; /* of each firing's changes in items */
  size_t firing_count, change_count;
  uint64_t work;         /* that it took to find them */
  bool *useful;          /* of elements: every difference is known */
  bool *useful_by_value; /* of elements that are useful: every change is from a known value to a known one */
};

/* Those seen in a walk through the state space. Every element that varies is useful. All from `arena`, whose guard is
   active. */
struct changes *changes_observe(const struct model *model, const struct ranges *ranges, const struct stop *stop,
                                struct arena *arena);

/* Those of all firings from states in which the constraints hold, in addition to those in `changes`; elements that are
   not useful any more are marked there. False: stopped, or there is too much to look at. */
bool changes_collect(const struct model *model, const struct ranges *ranges, const struct constraint *constraints,
                     size_t constraint_count, const struct stop *stop, struct arena *arena, struct changes *changes);

#endif
