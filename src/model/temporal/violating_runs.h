/* The runs that violate a temporal property. */
#ifndef FLOE_MODEL_VIOLATING_RUNS_H
#define FLOE_MODEL_VIOLATING_RUNS_H

#include "logic/evaluate.h"
#include "model/model.h"

/* Their automaton, reduced; NULL: it is too large (logic/translate.h). The guard of `arena` must be active, here and
   below. */
const struct automaton *violating_runs(const struct temporal *temporal, struct arena *arena);

/* Whether the run violates the property: `run` has the valuations of its atoms. Shares no reduction with the automaton.
 */
bool run_violates(const struct temporal *temporal, const struct periodic_word *run, struct arena *arena);

/* True only if the automaton has a run, accepting or not, on each word: its product with a model contains all reachable
   states of the model. */
bool permits_all_runs(const struct automaton *automaton, struct arena *arena);

#endif
