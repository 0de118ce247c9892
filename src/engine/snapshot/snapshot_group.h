/* A moment (engine/snapshot/snapshot.h) of all members of a group: rank 0 alone writes the file, and alone reads one. What is said
   of a search, but for its states, goes from and to it here, between phases; states go in phases of their own. */
#ifndef FLOE_MOMENT_GROUP_H
#define FLOE_MOMENT_GROUP_H

#include "core/arena.h"
#include "engine/snapshot/snapshot.h"
#include "engine/distributed/collective.h"

/* By all members; rank 0 says whether there is to be a moment at all. All have one then, rank 0 with a writer; until
   moment_group_end it gives signs of life. False: there is none. */
bool moment_group_begin(struct together *t, bool wanted, unsigned lanes, const struct checkpoint_order *order,
                        struct moment *out);
/* After rank 0 has put the states of all; `status`: of this member, FLOE_ERROR_IO: it lacks some. */
void moment_group_end(struct together *t, struct moment *moment, floe_status status);

/* All members learn what rank 0 goes on from: search->origin, from `arena`. The group may be lost (together_lose). */
void moment_group_origin(struct together *t, struct arena *arena);

#endif
