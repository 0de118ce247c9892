/* The greatest closed set of candidates in the states of a finished search: no step leads out of it. If the candidates
   are the states without a condition, it consists of the states from which no state with the condition can be reached.
   A step with a mark leads to an unknown state, so its source is not in the set.

   Forward passes: repeat until nothing changes: remove each state with a marked step, or one that leads out of the set.
   By induction only states are removed from which a state outside the candidates, or an unknown one, can be reached;
   what remains is closed. There may be as many passes as levels. So after a pass that leaves more than half of a small
   set, or when the passes have expanded many times the states of a large one, one thread finds the components of the
   rest. A component is removed if a step leads from it out of the set or to a component that is removed; components
   after it come first in the order of Tarjan's algorithm. */
#ifndef FLOE_ENGINE_CYCLES_CLOSED_SET_H
#define FLOE_ENGINE_CYCLES_CLOSED_SET_H

#include "engine/cycles/cycles.h"

#define CLOSED_SET_MOST_EXPANDED 64 /* states of passes for each state of a large set, before components */

/* graph->conditions, strong, initial, nearest and precedes are not used. *set is to be freed after any result.
   FLOE_ERROR_MEMORY. FLOE_ERROR_INTERRUPTED: graph->stop. */
floe_status closed_set_find(const struct cycle_graph *graph, struct number_set *set, uint64_t *size);

#endif
