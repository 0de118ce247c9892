/* Product of a model and an automaton, for temporal properties. */
#ifndef FLOE_MODEL_PRODUCT_H
#define FLOE_MODEL_PRODUCT_H

#include "logic/automaton.h"
#include "model/temporal/fairness.h"

#define PRODUCT_MAX_DEGREE 256 /* edges of a state of the automaton */

/* [atoms of the automaton] */
struct product_atoms {
  const struct expr *const *holds;           /* a Boolean expression over the state of the model, which fails in none of
                                                its reachable states */
  const struct transition_set *const *taken; /* not NULL: the atom holds in the steps of these transitions, and not in
                                                `stutter`; NULL: no atom is about steps */
};

/* Acceptance sets and constraints of fairness. */
#define PRODUCT_MAX_CONDITIONS 64

/* Most edges that leave a state, at least 1. */
uint32_t product_degree(const struct automaton *automaton);

/* A state of the product is a state of the model and one of the automaton. Each step of the model takes an edge of the
   automaton's state that the model's state before the step permits; without one, the state has no successor. Its runs
   are the infinite runs of both: where no transition of the model fires, the transition `stutter` repeats the state,
   or, without `stutters`, the run ends: `stutter` is never enabled. If atoms are about steps, a firing that no edge
   permits leads to a last state of the automaton, which permits none: so a constraint of fairness is enabled by the
   firings of a state of the product as by those of the model's. This holds in states that may lie on accepting cycles.

   Transient states of the model are states of the product. Firings in those where only the first firing counts take no
   edge of the automaton; then chooses_in_first_only (model/temporal/transient_states.h) must be false.

   `fairness`: constraints of the model; with the automaton's acceptance sets at most PRODUCT_MAX_CONDITIONS.
   The product has the model's variables and transitions, with the same numbers, then the automaton's variables, and
   `stutter`. If automaton->degree is above 1, a last select of every transition is the number of the edge among those
   of the automaton's state, in their order, then that to the last state. Of the properties only errors remain. It
   shares parts with the model, which must outlive it. The automaton has at most PRODUCT_MAX_DEGREE edges for each
   state; its guard of `arena` must be active. */
const struct model *product_create(const struct model *model, const struct automaton *automaton,
                                   const struct product_atoms *atoms, const struct fairness *fairness, bool stutters,
                                   struct arena *arena);

#endif
