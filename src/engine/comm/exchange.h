/* A phase of a level among the members of a group (engine/comm/group.h): each expands the states that it owns
   (step/kernel/state_owner.h), sends successors to their owners in letters of some thousand words, and puts those that it is
   sent.

   A phase is over for a member when its workers have no more states to expand, all that it sent has been taken, and all
   that was sent to it has arrived and been put: each member tells each other one how many letters it has sent it
   (MSG_SENT_COUNT), once it sends no more. A member that cannot go on, or must not (time, memory, a checkpoint), tells all
   others to stop (MSG_STOP): nobody expands any more then, and the phase ends as above, so that no successor is
   under way while anybody does anything else. There is no deadlock: who has sent much waits before he expands more, but
   never before he takes and puts what he is sent, which sends nothing. */
#ifndef FLOE_EXCHANGE_H
#define FLOE_EXCHANGE_H

#include "engine/comm/comm.h"

struct exchange;

/* Words of states in a letter, at most: long enough that what a letter costs besides is little. */
#define EXCHANGE_LETTER 4096

/* Letters for each member, and of each, that wait to be sent or put. */
#define EXCHANGE_WAITING 4

/* States of `words` words each; `workers` threads send, in letters of `letter` words. Memory: exchange_bytes, for
   letters that are written, wait to be sent, are under way, have come, and are put. */
struct exchange_plan {
  unsigned workers;
  uint32_t words;
  size_t packet;
  unsigned waiting; /* EXCHANGE_WAITING, or more where a member takes letters seldom */
};
uint64_t exchange_bytes(unsigned size, const struct exchange_plan *plan);
floe_status exchange_create(struct comm *comm, const struct exchange_plan *plan, struct exchange **out);
void exchange_free(struct exchange *exchange); /* NULL is allowed */
/* A new phase, in which `active` workers expand; before it all members have agreed (engine/comm/allgather.h). */
void exchange_begin(struct exchange *exchange, unsigned active);

/* ---- in a worker, any number at once ------------------------------------------------------------- */

/* To be sent to its owner, which is not this member. */
void exchange_send(struct exchange *exchange, unsigned worker, unsigned to, const uint64_t *state);
/* The same of n states, one after the other. */
void exchange_send_all(struct exchange *exchange, unsigned worker, unsigned to, const uint64_t *states, size_t n);
/* A whole letter of `number` states, for members that agree on what it has: its content is not looked at. */
void exchange_send_packet(struct exchange *exchange, unsigned to, struct message *packet);
/* Gets on with what is under way. */
void exchange_work(struct exchange *exchange);
/* So much waits to be sent that nothing should be expanded now. */
bool exchange_backpressured(struct exchange *exchange);
/* States that others have sent; NULL: none now. The message is the caller's to free,
   and exchange_ack is to be called when they are in the set. */
struct message *exchange_take(struct exchange *exchange);
/* Letters that exchange_take has; *all: and no more will come in this phase. */
size_t exchange_waiting(struct exchange *exchange, bool *all);
void exchange_ack(struct exchange *exchange);
/* The worker has no more states to expand in this phase; once for each active one. */
void exchange_worker_done(struct exchange *exchange, unsigned worker);
bool exchange_is_over(struct exchange *exchange);
/* Somebody else wants the phase to end, or the post is of no use any more. */
bool exchange_is_stopped(struct exchange *exchange);

/* ---- while no worker works ----------------------------------------------------------------------- */

/* Tells the others that the phase is to end, unless they know, and that nobody here expands any more. */
void exchange_stop(struct exchange *exchange);
/* What comes is not put any more: the phase is over when all has come. */
void exchange_give_up(struct exchange *exchange);
/* Letters that this member sent, and states in them, over all phases. */
void exchange_sent(const struct exchange *exchange, uint64_t *packets, uint64_t *states);

#endif
