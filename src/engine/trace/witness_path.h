/* Shortest paths to states, reconstructed backward through the levels of a search: all paths in one sweep. */
#ifndef FLOE_ENGINE_TRACE_WITNESS_PATH_H
#define FLOE_ENGINE_TRACE_WITNESS_PATH_H

#include "engine/path.h"
#include "engine/trace/witness_search.h"

/* Paths to targets[count], count from 1 to PATHS_MOST. Each predecessor on a path is the least one (word by word) of
   the previous level, by the first firing in canonical order, so the path is the same for every number of threads.
   FLOE_ERROR_UNSUPPORTED: stopped. FLOE_ERROR_INTERNAL: some state has no predecessor. FLOE_ERROR_IO: levels could
   not be read. On success paths[count] are set, for path_free. */
floe_status paths_find(const struct path_search *search, const struct path_target *targets, unsigned count,
                       struct path *paths);
/* Sets path->edges for path->states: the first firing of each state that leads to the next one. FLOE_ERROR_INTERNAL:
   there is none. FLOE_ERROR_MEMORY. */
floe_status path_add_edges(const struct stepper *stepper, struct path *path);

#endif
