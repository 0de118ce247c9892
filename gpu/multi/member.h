/* A GPU as member of a group (engine/comm/group.h): a level is a few exchange phases (engine/comm/exchange.h) with a
   collective reduction after each (engine/distributed/collective.h), as on a CPU (engine/cpu/cpu_collective.c). If all
   members have mailboxes for each other, the kernels close levels without the hosts, except the one that ends the
   search (gpu/kernel/explore/levels.h), and a phase may have many levels.

   The kernel looks up the successors that this member owns, and puts the others into outboxes
   (gpu/kernel/multi/owner_routing.h). After a launch the owners are sent the address of the states and copy them from
   device to device, while the next launch fills another outbox; owners in other processes are sent packets, copied from
   it while the next launch runs. Received states are inserted between launches, some at a time. So a launch is short,
   and a member inserts what it received before it waits for a free outbox. */
#ifndef FLOE_GPU_MULTI_MEMBER_H
#define FLOE_GPU_MULTI_MEMBER_H

#include "core/status.h"

#include <stdint.h>

struct gpu_search;

/* Called first: if task->group.comm is set, the search becomes a member of that group. FLOE_ERROR_MEMORY. */
floe_status member_join(struct gpu_search *self);
/* These do nothing for a search that is no member. */
floe_status member_open(struct gpu_search *self);
void member_close(struct gpu_search *self);
/* After each member has begun, or failed to: collective decision to explore. */
void member_begin(struct gpu_search *self);
/* At the end of the exploration. */
void member_end(struct gpu_search *self);
/* Keys that a lane may hold in addition to a state's successors: received ones, and those in partly filled packets. 0
   without a group. */
uint32_t member_extra_keys(const struct gpu_search *self);
/* The rest is for members only. */
/* Received keys that are inserted at a time (buffers.put_room); grid.slack or more. */
uint64_t member_inbox(const struct gpu_search *self);

/* Expands the current level, with all others; then the next one is current, or the search has ended. */
void member_expand_level(struct gpu_search *self);

#endif
