/* Mailboxes of devices that can access each other's memory, in one process or in several on one machine: host side of
   gpu/kernel/multi/mailbox.h. */
#ifndef FLOE_GPU_MULTI_MAILBOX_H
#define FLOE_GPU_MULTI_MAILBOX_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu_search;
struct gpu_space;

/* After settings and tree are planned, also alone: determines which members can be linked; sets group.linkable and
 * group.has_unlinkable. */
void mailbox_plan(struct gpu_search *self);
/* Allocates this member's mailboxes. FLOE_OK also if there is no room for any. */
floe_status mailbox_open(struct gpu_search *self);
/* Opens the mailboxes of the other linkable members, after they have opened theirs. *all: all are accessible. */
floe_status mailbox_link(struct gpu_search *self, bool *all);
/* Closes those of the others. If members are linked, all of them must call it: a barrier, after which no other member
   accesses this one's. */
void mailbox_unlink(struct gpu_search *self);
void mailbox_close(struct gpu_search *self);
/* The bit of a linked member in masks of kernels; 0: it is not linked. */
uint32_t mailbox_mask(const struct gpu_search *self, unsigned member);
void mailbox_describe(const struct gpu_search *self, struct gpu_space *space);

/* Between two phases, the last of which was stopped: passes all keys in this member's mailboxes to `put`, which may end
   the search, and clears them. All members must do so before any of them explores. */
floe_status mailbox_empty(struct gpu_search *self,
                          void (*put)(struct gpu_search *self, const uint64_t *keys, uint64_t n));

#endif
