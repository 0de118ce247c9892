/* Linear invariants: elements that others determine in all reachable states. A part of step/facts.h.

   A weighted sum of values, and of whether an element has a certain value, is invariant when each firing changes it by
   0: the left kernel of the matrix of changes, by exact elimination over the integers. */
#ifndef FLOE_FACTS_LINEAR_H
#define FLOE_FACTS_LINEAR_H

#include "step/facts.h"
#include "step/facts_changes.h"

struct linear {
  const struct facts_determined *items;
  uint32_t count;
  const struct constraint *constraints; /* all that is invariant, as far as integers of 32 bits tell it */
  size_t constraint_count;
};

/* What no change contradicts. weights[e]: what is gained when element e is determined; where there is a choice heavy
   ones are preferred. Elements of weight 0 never are. None where the numbers or the work become too large, or `stop`
   says so. All from `arena`, whose guard is active. */
struct linear linear_make(const struct model *model, const struct ranges *ranges, const struct changes *changes,
                          const double *weights, const struct stop *stop, struct arena *arena);

#endif
