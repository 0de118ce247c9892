/* A sign of life to all other members of a group, every few seconds, while this one is at work on something that takes
   long and has nothing to say: they would take it for lost (comm_timed_out). It listens, too. */
#ifndef FLOE_BEAT_H
#define FLOE_BEAT_H

#include "engine/comm/comm.h"

struct heartbeat;

/* `asked` is set when one of them sends a MSG_STOP; NULL: that is for others to take. NULL: there is no memory, or
   no thread, and no sign. */
struct heartbeat *heartbeat_begin(struct comm *comm, atomic_bool *asked);
void heartbeat_end(struct heartbeat *heartbeat); /* NULL is allowed */

#endif
