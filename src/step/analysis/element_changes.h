/* Changes of elements by firings, as input for linear invariants. Part of step/analysis/invariants.h.

   A firing is split by the values of what it writes and reads, while those are few, until it changes each element by a
   known difference, or from a known value to a known value. An element without either is not tracked. */
#ifndef FLOE_STEP_ANALYSIS_ELEMENT_CHANGES_H
#define FLOE_STEP_ANALYSIS_ELEMENT_CHANGES_H

#include "step/analysis/linear_terms.h"
#include "step/analysis/value_ranges.h"

/* Largest number of values of an element that is tracked by value. */
#define CHANGES_MAX_VALUES 64

struct element_change {
  uint32_t element;
  bool has_values; /* `from` and `to` are known; only for elements tracked by value */
  int64_t difference, from, to;
};

/* The sum of the terms is constant. */
struct linear_constraint {
  const struct linear_term *terms; /* tables only for elements tracked by value */
  uint32_t term_count;
  int64_t constant;
};

/* A conjunction of linear constraints. */
struct linear_constraints {
  const struct linear_constraint *items;
  size_t count;
};

struct element_changes {
  const struct element_change *items;
  const size_t *ends; /* [firing_count] end of the firing's changes in items */
  size_t firing_count, change_count;
  uint64_t work;          /* spent on finding them */
  bool *tracked;          /* [element] every difference is known */
  bool *tracked_by_value; /* [element] tracked, and every change is from a known value to a known value */
};

/* Changes in steps of a random walk through the state space. Every element that varies is tracked. All memory from
   `arena`, whose guard is active. */
struct element_changes *changes_observe(const struct model *model, const struct ranges *ranges, const struct stop *stop,
                                        struct arena *arena);

/* Adds to `changes` the changes of all firings from states in which the constraints hold, and clears the flags of
   elements that cannot be tracked. False: stopped, or too much work. */
bool changes_collect(const struct model *model, const struct ranges *ranges,
                     const struct linear_constraints *constraints, const struct stop *stop, struct arena *arena,
                     struct element_changes *changes);

#endif
