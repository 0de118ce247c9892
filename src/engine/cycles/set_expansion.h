/* Expansion of all states of a set by the threads of a graph, which share its words. */
#ifndef FLOE_ENGINE_CYCLES_SET_EXPANSION_H
#define FLOE_ENGINE_CYCLES_SET_EXPANSION_H

#include "engine/cycles/cycles.h"

/* Calls visit(user, ...) for the steps of the states in `set`, in any order, in several threads at a time. It may
   remove states: one that a thread has not come to is then not expanded. Ends early if graph->stop holds. Returns the
   number of states that were expanded. */
uint64_t set_expand(const struct cycle_graph *graph, const struct number_set *set, cycle_visitor *visit, void *user);

#endif
