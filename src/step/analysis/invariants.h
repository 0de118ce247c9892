/* Invariants of all reachable states, proved by induction over the ground transitions. A key may leave out what they
   determine. Elements are numbered as in `values` of layout_pack: variable->first + i. */
#ifndef FLOE_STEP_ANALYSIS_INVARIANTS_H
#define FLOE_STEP_ANALYSIS_INVARIANTS_H

#include "core/arena.h"
#include "core/threads/stop.h"
#include "model/model.h"
#include "step/analysis/linear_terms.h"

/* Ranges of elements by the value of another element, the selector: of local variables, and of global variables that
   one process writes, by the location of that process; of the places of a channel by its length. */
struct ranges_by_selector {
  uint32_t selector;        /* an element that is in no other ranges_by_selector */
  const uint32_t *elements; /* [element_count] each in this ranges_by_selector alone; not the selector */
  uint32_t element_count;
  /* [(value of selector - invariants.ranges[selector].lo) * element_count + i]; all empty: the selector never has that
     value */
  const struct value_interval *ranges;
};

struct invariants {
  const struct value_interval *ranges;          /* [model->value_count] of each element */
  const struct ranges_by_selector *by_selector; /* [by_selector_count] */
  const struct dependent_element *dependent;    /* [dependent_count], each element once */
  uint32_t by_selector_count, dependent_count;
  bool disproved; /* a state of a random walk violated a proved invariant, an internal error; the ranges are then the
                     declared ones */
};

/* Proves invariants, fewer if `stop` ends the search early (NULL: no limit). All memory from `arena`.
   FLOE_ERROR_MEMORY. */
floe_status invariants_make(const struct model *model, const struct stop *stop, struct arena *arena,
                            const struct invariants **out);

/* Invariants without a proof: declared ranges, and initial values of variables that are never assigned. All memory from
   `arena`. FLOE_ERROR_MEMORY. */
floe_status invariants_declared(const struct model *model, struct arena *arena, const struct invariants **out);

/* Value of a dependent element, from the values of the others, each within its range. */
int64_t invariants_value(const struct invariants *invariants, const struct dependent_element *dependent,
                         const int64_t *values);

/* True if a state satisfies the invariants: values[model->value_count]. */
bool invariants_hold(const struct invariants *invariants, const struct model *model, const int64_t *values);

#endif
