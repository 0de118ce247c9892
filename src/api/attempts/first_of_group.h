/* Messages of a group of processes in which rank 0's first GPU explores alone (attempts.c). */
#ifndef FLOE_API_ATTEMPTS_FIRST_OF_GROUP_H
#define FLOE_API_ATTEMPTS_FIRST_OF_GROUP_H

#include "engine/comm/comm.h"
#include "engine/engine.h"

/* Rank 0, after its first GPU has explored: adds `members` members to the outcome, the first of which explored
   everything. FLOE_ERROR_MEMORY: *out is empty. */
floe_status first_of_group_list(unsigned members, struct engine_outcome *out);
/* Rank 0: sends the result to the others. `restarts`: all begin together. */
void first_of_group_announce(struct comm *comm, bool restarts, floe_end end);
/* The others: wait for it. An interrupt of this process ends rank 0's exploration. Sets out->end, or
   out->attempts.must_escalate: all begin together. The status is that of the comm. */
floe_status first_of_group_follow(struct comm *comm, const struct stop *stop, struct engine_outcome *out);

#endif
