/* Strongly connected components of a set of states, with the conditions that they satisfy. One thread. */
#ifndef FLOE_ENGINE_CYCLES_MARKED_COMPONENTS_H
#define FLOE_ENGINE_CYCLES_MARKED_COMPONENTS_H

#include "core/components.h"
#include "engine/cycles/cycles.h"

struct marked_components {
  const struct cycle_graph *graph;
  const struct number_set *set; /* as it was when they were found: `before` counts its words */
  uint64_t *before;             /* [set->count] states of the set in earlier words */
  uint64_t *numbers;            /* [states] by place in the set */
  uint32_t states;
  uint32_t *component; /* [states] by place in the set */
  uint32_t components;
  uint64_t *marks;   /* [components] of the steps inside */
  uint64_t *enabled; /* [components] strong conditions that are enabled in some state */
  bool *cyclic;      /* [components] */
};
/* Bytes for each state of the set, at most: the search, `numbers`, and if each is a component by itself `marks`,
   `enabled`, `cyclic`; 16 for `before` and the successors on the path. */
#define MARKED_COMPONENTS_BYTES (COMPONENT_SEARCH_BYTES + 3 * sizeof(uint64_t) + sizeof(bool) + 16)

/* FLOE_ERROR_MEMORY. FLOE_ERROR_INTERRUPTED: graph->stop. components_unmark is needed then, too. */
floe_status components_mark(const struct cycle_graph *graph, const struct number_set *set,
                            struct marked_components *out);
void components_unmark(struct marked_components *components);

/* Place of a number of the set among its numbers. */
uint32_t component_place(const struct marked_components *c, uint64_t number);
/* NO_COMPONENT: the number is not in the set. */
uint32_t component_of(const struct marked_components *c, uint64_t number);
/* The conditions that a cycle through all states of the component needs a marked step for. */
uint64_t component_needs(const struct marked_components *c, uint32_t component);
/* A cycle through all states of the component is accepting. */
bool component_accepts(const struct marked_components *c, uint32_t component);

/* Removes from the set what lies on no accepting cycle, until each of its components is accepting. *size: of the set.
   Of a component that lacks a strong condition the states go in which that is enabled, and the rest is divided again;
   so each state is looked at once for each strong condition at most, and once more. The same for Streett automata:
   Emerson and Lei, "Modalities for model checking", 1987, section 4. */
floe_status components_keep_accepting(const struct cycle_graph *graph, struct number_set *set, uint64_t *size);

#endif
