/* The nearest of some states, by a breadth-first search of one thread. */
#ifndef FLOE_ENGINE_CYCLES_NEAREST_STATE_H
#define FLOE_ENGINE_CYCLES_NEAREST_STATE_H

#include "engine/cycles/cycles.h"

struct nearest_request {
  const struct cycle_graph *graph;
  bool (*is_goal)(const void *user, uint64_t number);
  const void *user;
  uint32_t first_level; /* of the states that may be goals */
};

struct nearest_state {
  bool found;
  uint64_t number;
  uint32_t depth; /* steps from the initial state */
};

/* Of the goals nearest to the initial state the least, by key. FLOE_ERROR_MEMORY. FLOE_ERROR_INTERRUPTED:
   graph->stop. */
floe_status nearest_state_find(const struct nearest_request *request, struct nearest_state *out);

#endif
