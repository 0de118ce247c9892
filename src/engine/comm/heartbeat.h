/* Heartbeat during long local work, so that other members do not time out (comm_timed_out). Also polls for stop
   requests. */
#ifndef FLOE_ENGINE_COMM_HEARTBEAT_H
#define FLOE_ENGINE_COMM_HEARTBEAT_H

#include "engine/comm/comm.h"

struct heartbeat;

/* `stop_requested` is set when a member sends MSG_STOP; NULL: MSG_STOP is left for other receivers. Returns NULL if
   there is no memory or thread; then there is no heartbeat. */
struct heartbeat *heartbeat_begin(struct comm *comm, atomic_bool *stop_requested);
void heartbeat_end(struct heartbeat *heartbeat); /* NULL is allowed */

#endif
