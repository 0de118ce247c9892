/* A moment (engine/snapshot/snapshot.h) of all members of a group: rank 0 alone writes the file, and alone reads one.
   What is said of a search, but for its states, goes from and to it here, between phases; states go in phases of their
   own. */
#ifndef FLOE_MOMENT_GROUP_H
#define FLOE_MOMENT_GROUP_H

#include "core/arena.h"
#include "engine/distributed/collective.h"
#include "engine/snapshot/snapshot.h"

/* By all members; rank 0 says whether there is to be a moment at all. All have one then, rank 0 with a writer; until
   snapshot_group_end it gives signs of life. False: there is none. */
bool snapshot_group_begin(struct collective *t, bool wanted, unsigned lanes, const struct checkpoint_order *order,
                          struct snapshot *out);
/* After rank 0 has put the states of all; `status`: of this member, FLOE_ERROR_IO: it lacks some. */
void snapshot_group_end(struct collective *t, struct snapshot *snapshot, floe_status status);

/* All members learn what rank 0 goes on from: search->origin, from `arena`. The group may be lost (collective_fail). */
void snapshot_group_origin(struct collective *t, struct arena *arena);

#endif
