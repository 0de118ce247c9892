/* Dependent elements: elements whose values are determined by others in all reachable states. Part of
   step/analysis/invariants.h.

   A weighted sum of values, and of indicators "element has value v", is invariant if each firing changes it by 0. The
   invariants are the left kernel of the matrix of changes, found by exact elimination over the integers. */
#ifndef FLOE_STEP_ANALYSIS_DEPENDENT_ELEMENTS_H
#define FLOE_STEP_ANALYSIS_DEPENDENT_ELEMENTS_H

#include "step/analysis/element_changes.h"

/* Input of the search for linear invariants. weights[e]: gain if element e is dependent; elements of weight 0 never
   are. `stop` ends the search. Results come from `arena`, whose guard is active. */
struct linear_problem {
  const struct model *model;
  const struct ranges *ranges;
  const struct element_changes *changes;
  const double *weights;
  const struct stop *stop;
  struct arena *arena;
};

struct linear_invariants {
  const struct dependent_element *items;
  uint32_t count;
  double gain;                           /* sum of the weights of the items */
  struct linear_constraints constraints; /* all invariants with coefficients of 32 bits */
};

/* Which of several elements that determine one another becomes dependent: the heaviest, or the one with the most weight
   for each of its columns that others need. The first rule is best for counters, the second for locations. */
enum dependent_choice { HEAVIEST_FIRST, HEAVIEST_BY_USE };

/* Invariants that no change contradicts. None if numbers or work become too large, or at a stop. */
struct linear_invariants dependent_elements_find(const struct linear_problem *problem, enum dependent_choice order);

#endif
