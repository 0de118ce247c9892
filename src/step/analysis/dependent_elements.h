/* Linear invariants: elements that others determine in all reachable states. A part of step/analysis/invariants.h.

   A weighted sum of values, and of whether an element has a certain value, is invariant when each firing changes it by
   0: the left kernel of the matrix of changes, by exact elimination over the integers. */
#ifndef FLOE_FACTS_LINEAR_H
#define FLOE_FACTS_LINEAR_H

#include "step/analysis/element_changes.h"

struct linear {
  const struct invariants_dependent *items;
  uint32_t count;
  double gain;                          /* sum of their weights */
  const struct constraint *constraints; /* all that is invariant, as far as integers of 32 bits tell it */
  size_t constraint_count;
};

/* Which of several elements that determine one another is the determined one: the heavier one, or that of more weight
   for each function of it that others need. The first is best for counters, the second for locations. */
enum linear_order { BY_WEIGHT, BY_WEIGHT_OF_A_COLUMN };

/* What no change contradicts. weights[e]: what is gained when element e is determined. Elements of weight 0 never are.
   None where the numbers or the work become too large, or `stop` says so. All from `arena`, whose guard is active. */
struct linear linear_make(const struct model *model, const struct ranges *ranges, const struct changes *changes,
                          const double *weights, enum linear_order order, const struct stop *stop, struct arena *arena);

#endif
