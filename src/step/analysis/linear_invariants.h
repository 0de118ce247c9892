/* Linear invariants, proved by induction. Part of step/analysis/invariants.h.

   Some proofs need the invariant itself, or others: a philosopher sets `taken[i]` to false after eating, and only the
   sum to be proved shows that it was true. So the search guesses the sums that are constant in a random walk. It finds
   the firings from states in which the guesses hold, drops the guesses that these firings contradict, and repeats until
   none is contradicted. */
#ifndef FLOE_STEP_ANALYSIS_LINEAR_INVARIANTS_H
#define FLOE_STEP_ANALYSIS_LINEAR_INVARIANTS_H

#include "step/analysis/dependent_elements.h"

/* As dependent_elements_find. */
struct linear_invariants linear_invariants_find(const struct model *model, const struct ranges *ranges,
                                                const double *weights, const struct stop *stop, struct arena *arena);

#endif
