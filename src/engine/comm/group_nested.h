/* Members of several processes, of which each has one or more: a device each, and a thread (gpu/multi/engine_gpus.c). Members
   of one process come one after the other by rank, in the order of the processes. What goes to another process goes by
   a group of the processes, with its route behind its content; what stays here is handed on as it is.

   What comes for one member of a process may be taken as another one looks, and then waits here: GROUP_BEGUN messages
   of DATA for each member at most, while nobody takes more. `under_way` counts what other members of the process have
   sent to other processes, too. */
#ifndef FLOE_GROUP_NESTED_H
#define FLOE_GROUP_NESTED_H

#include "engine/comm/group.h"

#include <pthread.h>

/* Of `below->size` processes process i has counts[i] members, 1 at least; out[] those of this one, each to be used, and
   closed, by one thread at a time; the group is freed with its last member. `below` is used with the mutex held, and
   lives longer. `epoch`: the same number in all processes, another one for each nested group on `below`: what is left
   of others is dropped. No process uses this one before all have closed the one before. FLOE_ERROR_MEMORY;
   FLOE_ERROR_UNSUPPORTED: of more members than a route can name. */
floe_status group_nested_make(struct group *below, pthread_mutex_t *mutex, uint32_t epoch, const unsigned *counts,
                              struct group *out[]);

/* One member of this process can take part in nothing more: all that the others of it ask for is FLOE_ERROR_IO. */
void group_nested_lose(struct group *member);

#endif
