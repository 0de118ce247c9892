/* A shortest cycle through a state. */
#ifndef FLOE_ENGINE_CYCLES_SHORTEST_CYCLE_H
#define FLOE_ENGINE_CYCLES_SHORTEST_CYCLE_H

#include "engine/cycles/cycles.h"

struct cycle_search {
  const struct cycle_graph *graph;
  uint64_t start;  /* a state inside */
  uint64_t needed; /* mask of conditions: the cycle has a marked step for each */
  bool (*inside)(const void *user, uint64_t number);
  const void *user;
  size_t most; /* pairs of a state and a mask that are looked at, below 2^31 */
};

/* A shortest cycle from `start` to `start` of steps inside; of several the first one in canonical order. *found: there
   is one within `most`. FLOE_ERROR_MEMORY; FLOE_ERROR_INTERRUPTED: graph->stop. */
floe_status shortest_cycle(const struct cycle_search *search, bool *found, struct cycle *out);

#endif
