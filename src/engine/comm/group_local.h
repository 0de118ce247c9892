/* A group whose members are threads of this process: several devices of one host. A message is handed on as it is. */
#ifndef FLOE_GROUP_LOCAL_H
#define FLOE_GROUP_LOCAL_H

#include "engine/comm/group.h"

/* Members 0 to size - 1, each to be used, and closed, by one thread at a time; the group is freed with its last
   member. */
floe_status group_local_make(unsigned size, struct group *out[]);

#endif
