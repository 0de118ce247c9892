/* Transport between threads of one process, for several devices of one host. Messages are passed by pointer. */
#ifndef FLOE_ENGINE_COMM_GROUP_LOCAL_H
#define FLOE_ENGINE_COMM_GROUP_LOCAL_H

#include "engine/comm/group.h"

/* Members 0 to size - 1. One thread at a time uses and closes each. The group is freed when its last member closes. */
floe_status group_local_make(unsigned size, struct group *out[]);

#endif
