/* Transport between members of several processes, each with one or more members: a device and a thread each
   (gpu/multi/device_team.c). Members of one process have consecutive ranks, in the order of the processes. Messages to
   another process use a group of the processes, with a route as trailer; messages within a process are passed by
   pointer.

   A member that receives may take a message for another member of its process from the group below; the message is
   queued here. At most GROUP_PREFETCHED DATA messages per member are queued; then receiving from below pauses.
   `in_flight` also counts messages that other members of this process have sent to other processes. */
#ifndef FLOE_ENGINE_COMM_GROUP_NESTED_H
#define FLOE_ENGINE_COMM_GROUP_NESTED_H

#include "engine/comm/group.h"

#include <pthread.h>

/* Process i of `below->size` has counts[i] >= 1 members; out[]: those of this process. One thread at a time uses and
   closes each. The group is freed when its last member closes. `below` is used with the mutex held, and must outlive
   the group. `epoch`: the same number in all processes, a different one for each nested group on `below`; messages
   of other epochs are dropped. A process may make the next group only after all members of all processes have closed
   this one. FLOE_ERROR_MEMORY; FLOE_ERROR_UNSUPPORTED: more members than a route can name. */
floe_status group_nested_make(struct group *below, pthread_mutex_t *mutex, uint32_t epoch, const unsigned *counts,
                              struct group *out[]);

/* A member of this process has failed: all operations of its other members return FLOE_ERROR_IO. */
void group_nested_fail(struct group *member);

#endif
