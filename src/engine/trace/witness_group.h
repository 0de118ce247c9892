/* Search for predecessors in a group whose members each have a part of every level. */
#ifndef FLOE_ENGINE_TRACE_WITNESS_GROUP_H
#define FLOE_ENGINE_TRACE_WITNESS_GROUP_H

#include "engine/trace/witness_search.h"

/* backward_search on all members of the group; called by process 0. Errors as there. */
floe_status backward_search_group(struct backward *back, struct predecessors **best);
/* Serves a COMMAND_FIND_PREDECESSORS, whose content is `request`, on another member. *interrupted: the search was
   interrupted. */
floe_status paths_serve(const struct path_search *search, const void *request, size_t bytes, bool *interrupted);

#endif
