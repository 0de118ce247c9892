/* Distributed snapshot (engine/snapshot/snapshot.h): only rank 0 writes and reads the file. These functions transfer
   everything but the states, between phases; states are transferred in separate phases. */
#ifndef FLOE_ENGINE_SNAPSHOT_SNAPSHOT_GROUP_H
#define FLOE_ENGINE_SNAPSHOT_SNAPSHOT_GROUP_H

#include "core/arena.h"
#include "engine/distributed/collective.h"
#include "engine/snapshot/snapshot.h"

/* Called by all members; rank 0 decides with `due` whether a snapshot is made. Then all members have one, rank 0
   with a writer, which sends heartbeats until snapshot_group_end. False: there is none. */
bool snapshot_group_begin(struct collective *t, bool due, unsigned contexts, const struct checkpoint_order *order,
                          struct snapshot *out);
/* Called after rank 0 has written the states of all members. `status`: of this member; FLOE_ERROR_IO: it has lost
   states. */
void snapshot_group_end(struct collective *t, struct snapshot *snapshot, floe_status status);

/* Sends the origin that rank 0 resumes from to all members: search->origin, allocated in `arena`. The group may be
   lost (collective_fail). */
void snapshot_group_origin(struct collective *t, struct arena *arena);

#endif
