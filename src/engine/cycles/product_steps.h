/* Steps of a state of a product, from its firings: for the graphs of all engines. */
#ifndef FLOE_ENGINE_CYCLES_PRODUCT_STEPS_H
#define FLOE_ENGINE_CYCLES_PRODUCT_STEPS_H

#include "engine/cycles/cycles.h"
#include "model/model.h"
#include "step/kernel/abi.h"
#include "step/layout/layout.h"

/* Conditions on the cycles of a product. */
struct product_conditions {
  const struct model_automaton *automaton;
  uint64_t weak, strong; /* constraints of fairness, disjoint */
};

struct product_conditions product_conditions(const struct model_automaton *automaton);
/* Mask, of cycle_graph. */
uint64_t product_all_conditions(const struct product_conditions *conditions);

/* The automaton's state in a key; `scratch` as for key_state. */
uint64_t product_automaton_state(const struct model_automaton *automaton, const struct layout *layout,
                                 const uint64_t *key, uint64_t *scratch);

/* An expanded state. */
struct product_state {
  uint64_t number, automaton; /* its own number, its state of the automaton */
  bool transient;             /* it is a transient state of the model */
};
struct product_state product_state(const struct model_automaton *automaton, const struct layout *layout,
                                   uint64_t number, const uint64_t *key, uint64_t *scratch);

/* Sets `from`, marks, enabled, transition and choice of a step for each firing without an error, in their order, and
   moves the keys of `words` words of their targets together. Firings that fail lead nowhere, but a constraint of
   fairness is enabled by them. No constraint counts as disabled because of a transient state. Returns the number of
   steps. */
size_t product_steps(const struct product_conditions *conditions, const struct product_state *from,
                     const struct step_edge *edges, size_t firings, uint64_t *targets, size_t words,
                     struct cycle_step *steps);

/* Fairness of the instances of all processes, weak or else strong, under which no accepting cycle exists; then of as
   few processes as possible. Sets *processes (0: not so) and *strong. none_with(self, conditions): whether none
   exists. */
void product_fair_processes(const struct model_automaton *automaton,
                            bool (*none_with)(void *self, const struct product_conditions *conditions), void *self,
                            uint64_t *processes, bool *strong);

#endif
