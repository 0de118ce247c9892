/* Host side of sending states to their owners after a kernel launch.

   Devices of this process receive the address of the states and copy them; the next launch fills the other one of two
   sets of outboxes. For members elsewhere the device copies the states to packets while the next launch runs; the group
   sends and receives them without a further copy. The states of packets are in device memory if the group can send from
   there (group->device_aware), else the whole packet is in page-locked host memory. */
#ifndef FLOE_GPU_MULTI_OUTBOX_H
#define FLOE_GPU_MULTI_OUTBOX_H

#include "core/status.h"
#include "engine/comm/exchange.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu_search;

/* Largest grid.slack for which the outboxes have room; also an upper bound of member_inbox. */
uint64_t outbox_most_slack(const struct gpu_search *self);
/* Packets of the exchange. */
struct exchange_plan outbox_packets(const struct gpu_search *self);
floe_status outbox_open(struct gpu_search *self);
void outbox_close(struct gpu_search *self);
/* The set of the next launch is free. */
bool outbox_is_free(struct gpu_search *self);
/* Begins to send what the last launch left. Nothing else may be unsent. */
floe_status outbox_empty(struct gpu_search *self);
/* Some states are not sent yet. Always false if receivers copy (task->group.peers). */
bool outbox_is_sending(const struct gpu_search *self);
/* Sends some states. False: there was nothing to send, or no free packet. An error ends the search. */
bool outbox_send(struct gpu_search *self);
/* Drops all states. */
void outbox_discard(struct gpu_search *self);
/* Sends and receives while a launch runs, until it ends. */
floe_status outbox_work(struct gpu_search *self);

#endif
