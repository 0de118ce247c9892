/* All-to-all exchange of states with termination detection, for one phase of a level. Each member of a group
   (engine/comm/group.h) expands the states that it owns (step/kernel/state_owner.h), sends successors to their owners
   in packets of some thousand words, and inserts the states that it receives.

   A phase is over for a member when its workers have no more states to expand, all packets that it sent are received,
   and all packets sent to it have arrived and are inserted. For that each member sends each other member the number of
   its packets (MSG_SENT_COUNT) once it sends no more. A member that must end the phase early (time, memory, a
   checkpoint) sends MSG_STOP to all others. Then no member expands any more, and the phase ends as above, so that no
   successor is in flight afterwards.

   There is no deadlock: a member that has sent too much stops expanding (back-pressure), but still receives and
   inserts states, which never sends. */
#ifndef FLOE_ENGINE_COMM_EXCHANGE_H
#define FLOE_ENGINE_COMM_EXCHANGE_H

#include "engine/comm/comm.h"

struct exchange;

/* Words of states in a packet, at most: enough that the cost per packet is small. */
#define EXCHANGE_PACKET_WORDS 4096

/* Packets per member that may be queued for sending, and received packets that may be queued for inserting. */
#define EXCHANGE_QUEUED_PACKETS 4

/* States of `words` words each; `workers` threads send, in packets of `packet_words` words. exchange_bytes is the
   memory for packets that are written, queued for sending, in flight, received, and being inserted. */
struct exchange_plan {
  unsigned workers;
  uint32_t words;
  size_t packet_words;
  unsigned queued; /* EXCHANGE_QUEUED_PACKETS, or more for a member that seldom receives */
};
uint64_t exchange_bytes(unsigned size, const struct exchange_plan *plan);
floe_status exchange_create(struct comm *comm, const struct exchange_plan *plan, struct exchange **out);
void exchange_free(struct exchange *exchange); /* NULL is allowed */
/* A new phase, in which `active` workers expand. All members must have synchronised before
   (engine/comm/allgather.h). */
void exchange_begin(struct exchange *exchange, unsigned active);

/* ---- called by workers, concurrently ------------------------------------------------------------- */

/* Sends a state to its owner, another member. */
void exchange_send(struct exchange *exchange, unsigned worker, unsigned to, const uint64_t *state);
/* The same for n consecutive states. */
void exchange_send_all(struct exchange *exchange, unsigned worker, unsigned to, const uint64_t *states, size_t n);
/* Sends a whole packet of `number` states in a format that both members define; the exchange does not read its
   content. */
void exchange_send_packet(struct exchange *exchange, unsigned to, struct message *packet);
/* Makes progress: receives messages, sends queued packets. */
void exchange_progress(struct exchange *exchange);
/* True: too many packets are queued for sending; do not expand now. */
bool exchange_backpressured(struct exchange *exchange);
/* A packet of states from another member; NULL: none now. The caller frees the message, and calls exchange_ack when
   the states are in the visited set. */
struct message *exchange_take(struct exchange *exchange);
/* Packets that exchange_take can return now; *all: no more will arrive in this phase. */
size_t exchange_available(struct exchange *exchange, bool *all);
void exchange_ack(struct exchange *exchange);
/* The worker has no more states to expand in this phase; call once for each active worker. */
void exchange_worker_done(struct exchange *exchange, unsigned worker);
bool exchange_is_over(struct exchange *exchange);
/* Another member has ended the phase, or the comm is unusable. */
bool exchange_is_stopped(struct exchange *exchange);

/* ---- called while no worker runs ----------------------------------------------------------------- */

/* Ends the phase: sends MSG_STOP to the others unless already done; no worker of this member expands any more. */
void exchange_stop(struct exchange *exchange);
/* Discards incoming packets from now on: the phase is over when all have arrived. */
void exchange_discard(struct exchange *exchange);
/* Packets that this member sent, and the states in them, over all phases. */
void exchange_count_sent(const struct exchange *exchange, uint64_t *packets, uint64_t *states);

#endif
