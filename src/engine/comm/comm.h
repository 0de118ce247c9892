/* Typed messages (packets) between the members of a group (engine/comm/group.h). Receiving selects by message type;
   other messages stay queued. Packets of states use the group's DATA channel, all others its CONTROL channel.

   Each packet belongs to an epoch: one phase of a level, one all-gather, or one command. All members enter the same
   epochs in the same order and count them from 0. A packet that arrives early has a higher number than the current
   epoch and waits for its own. Threads of a member may call all functions concurrently. */
#ifndef FLOE_ENGINE_COMM_COMM_H
#define FLOE_ENGINE_COMM_COMM_H

#include "core/threads/stop.h"
#include "engine/comm/message_queue.h"

#include <pthread.h>

/* Header of every message. */
struct packet {
  uint32_t kind;   /* enum packet_kind */
  uint32_t epoch;  /* number of the epoch */
  uint64_t number; /* of the items that follow, or as the kind defines it */
  unsigned char content[];
};

enum packet_kind {
  MSG_STATES,       /* `number` states; the only kind on the DATA channel */
  MSG_STOP,         /* ends the phase; to rank 0: ends its exploration (api/attempts/first_of_group.h) */
  MSG_SENT_COUNT,   /* the sender sends exactly `number` MSG_STATES in this phase */
  MSG_CONTRIBUTION, /* to rank 0: a buffer of an all-gather or gather */
  MSG_GATHERED,     /* from rank 0: all buffers, in rank order; or `number`: result of a first attempt
                       (api/attempts/first_of_group.c) */
  MSG_HEARTBEAT,    /* to all other members, during long local work (engine/comm/heartbeat.h) */
  MSG_COMMAND,      /* from rank 0: the next command for the worker processes */
  MSG_REPLY         /* to rank 0 */
};

/* First word of a MSG_COMMAND; the sender defines the rest (api/explore/search_command.h,
   engine/trace/witness_path.c, api/trace/unfired_distributed.c). */
enum command_kind {
  COMMAND_EXPLORE_STATES,    /* explore */
  COMMAND_FIND_PREDECESSORS, /* of states, in a level that the last search archived */
  COMMAND_COUNT_UNFIRED,     /* count why transitions never fired, over the states that the last search keeps */
  COMMAND_LEAVE              /* exit; packet.number: the exit code */
};

struct comm {
  struct group *group;
  pthread_mutex_t mutex;
  struct message_queue control; /* CONTROL messages not yet received, in the order of arrival */
  uint32_t epoch;               /* current epoch */
  floe_status status;           /* not FLOE_OK (FLOE_ERROR_IO, FLOE_ERROR_MEMORY): the comm is unusable */
  double last_received;         /* when the last message arrived, or comm_open */
  uint64_t messages, bytes;     /* sent, on both channels */
  double idle_seconds;          /* in which the member waited for others */
  double busy_until;            /* until then waiting threads sleep: other processes need the processor */
};

/* Seconds without any message, after a request to end, until the other members are taken for lost (shorter in
   tests). */
extern double comm_timeout;

void comm_open(struct group *group, struct comm *out);
/* Drops queued messages and closes the group. `lost`: a member is gone (group_kind.close). */
void comm_close(struct comm *comm, bool lost);

/* Makes the comm unusable with this status, unless it is already: this member cannot take part in collective
   operations. */
void comm_fail(struct comm *comm, floe_status status);
/* comm->status; other threads may use the comm at the same time. */
floe_status comm_status(struct comm *comm);
/* Begins the next epoch; drops queued messages of earlier ones. No other thread may use the comm. */
void comm_next_epoch(struct comm *comm);

/* A new message with room for `bytes` of content and the packet header; NULL: no memory. */
struct message *packet_new(enum packet_kind kind, uint64_t number, size_t bytes);
static inline struct packet *packet_of(struct message *message) { return (struct packet *)message->content; }
static inline size_t packet_bytes(const struct message *message) { return message->bytes - sizeof(struct packet); }

/* Sends the message, which belongs to the comm from now on, in the current epoch. NULL: comm->status becomes
   FLOE_ERROR_MEMORY. After an error, which comm->status has, nothing is sent. */
void comm_send(struct comm *comm, unsigned to, struct message *packet);
/* Sends the same content to all other members. */
void comm_send_all(struct comm *comm, enum packet_kind kind, uint64_t number, const void *content, size_t bytes);
/* Receives a CONTROL packet of the current epoch and of this kind; NULL: none has arrived. */
struct message *comm_poll(struct comm *comm, enum packet_kind kind);
/* Receives the next DATA packet; NULL: none. Call it only with room for the states, one call at a time. */
struct message *comm_poll_states(struct comm *comm);
/* DATA packets sent and not yet received. */
size_t comm_in_flight(struct comm *comm);
/* As comm_poll, but waits for the packet. NULL: comm->status has the reason, or the senders are taken for lost because
   nothing has arrived for comm_timeout seconds after `stop` (may be NULL) was set. */
struct message *comm_receive(struct comm *comm, enum packet_kind kind, const struct stop *stop);
/* True: `stop` is set, and nothing has arrived for too long. *since: when `stop` was first seen set; initially 0. */
bool comm_timed_out(struct comm *comm, const struct stop *stop, double *since);
/* Backs off after unsuccessful polling: the pause grows with *times, initially 0. It ends early when a
   message arrives, if the group has group_kind.wait. */
void comm_backoff(struct comm *comm, unsigned *times);

#endif
