/* Linear invariants, proved by induction. A part of step/analysis/invariants.h.

   Some need themselves, or each other, for their proof: `taken[i]` is set to false by who eats, and that it was true
   before follows from the very sum that is to be shown. So first those are guessed that hold in a walk through the
   state space; then the firings are found from states in which the guesses hold, and what these contradict is given up,
   until nothing is contradicted. */
#ifndef FLOE_FACTS_INVARIANTS_H
#define FLOE_FACTS_INVARIANTS_H

#include "step/analysis/dependent_elements.h"

/* As linear_make. */
struct linear linear_invariants_make(const struct model *model, const struct ranges *ranges, const double *weights,
                                     const struct stop *stop, struct arena *arena);

#endif
