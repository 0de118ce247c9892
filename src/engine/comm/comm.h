/* A member's letters: messages of its group (engine/comm/group.h) as the search writes and reads them. Whoever waits for a
   letter of one kind gets it whatever else has come before; what has come and is not asked for yet is kept.

   A letter is of a conversation, numbered in the order in which all members have them: a phase of a level, an
   agreement, a question. So a letter of the next conversation that arrives early is not taken for one of this. Threads
   of a member may call anything at once. */
#ifndef FLOE_POST_H
#define FLOE_POST_H

#include "core/stop.h"
#include "engine/comm/group.h"

#include <pthread.h>

/* At the beginning of every message. */
struct packet {
  uint32_t kind;         /* enum packet_kind */
  uint32_t epoch; /* its number */
  uint64_t number;       /* of what follows, or what the kind says */
  unsigned char content[];
};

enum packet_kind {
  MSG_STATES, /* DATA: `number` states */
  MSG_STOP,   /* the phase is to end; to rank 0: its exploration is (gpu/multi/first_attempt.h) */
  MSG_SENT_COUNT,   /* `number` MSG_STATES have come or will come from there in this phase, and no more */
  MSG_CONTRIBUTION,   /* to rank 0: what an agreement is about */
  MSG_GATHERED,    /* from rank 0: what all have said, by rank; or `number`: what it has come to (gpu/multi/first_attempt.h) */
  MSG_HEARTBEAT,  /* from rank 0, which is at work on something that takes long: nobody is to take it for lost */
  MSG_COMMAND,   /* from rank 0: what to do next (api/explore/mpi_job.c) */
  MSG_REPLY  /* to rank 0 */
};

/* What a MSG_COMMAND begins with; what follows is its author's (api/explore/mpi_job.c, engine/trace/witness_path.c, api/trace/unfired_distributed.c). */
enum task {
  COMMAND_EXPLORE_STATES,     /* a search */
  COMMAND_FIND_PREDECESSOR, /* of a state, among those that the last search keeps of a level */
  COMMAND_COUNT_UNFIRED,       /* why transitions never fired, by the states that the last search keeps */
  COMMAND_LEAVE        /* nothing more; letter.number: the exit code */
};

struct comm {
  struct group *group;
  pthread_mutex_t mutex;
  struct message *first, **last; /* CONTROL, arrived and not taken, in the order of arrival */
  uint32_t epoch;         /* the present one */
  floe_status status;            /* FLOE_ERROR_IO, FLOE_ERROR_MEMORY: it is of no use any more */
  double silent_since;           /* when the last message came, or the post was opened */
  uint64_t messages, bytes;      /* sent, of both lanes */
  double waited;                 /* seconds in which the member waited for others */
  double busy_until;             /* the machine had work for others: who waits sleeps */
};

/* Seconds after which those who do not answer a wish to end are taken for lost (tests have less). */
extern double comm_timeout;

void comm_open(struct group *group, struct comm *out);
void comm_close(struct comm *comm, bool lost);

/* The post is of no use any more, for this reason, if it was of use till now: who cannot take part in what all do. */
void comm_fail(struct comm *comm, floe_status status);
/* post->status, while others may use the post. */
floe_status comm_status(struct comm *comm);
/* The next conversation: what came of earlier ones is forgotten. While nobody else uses the post. */
void comm_next_epoch(struct comm *comm);

/* A message for a letter with so many bytes of content, and its letter; NULL: no memory. */
struct message *packet_new(enum packet_kind kind, uint64_t number, size_t bytes);
static inline struct packet *packet_of(struct message *message) { return (struct packet *)message->content; }
static inline size_t packet_bytes(const struct message *message) { return message->bytes - sizeof(struct packet); }

/* Sends what is the post's from now on, as a letter of the present conversation. After an error nothing is sent;
   post->status has it. NULL: post->status becomes FLOE_ERROR_MEMORY. */
void comm_send(struct comm *comm, unsigned to, struct message *packet);
/* To all others, of the same content. */
void comm_send_all(struct comm *comm, enum packet_kind kind, uint64_t number, const void *content, size_t bytes);
/* A CONTROL letter of the present conversation that has come, of this kind; NULL: none. */
struct message *comm_poll(struct comm *comm, enum packet_kind kind);
/* The same of DATA: the next letter. One at a time, and only who has room for it asks. */
struct message *comm_poll_states(struct comm *comm);
/* DATA letters that are under way. */
size_t comm_in_flight(struct comm *comm);
/* Waits for it. NULL: post->status says why, or those who are to answer are taken for lost: some seconds after `stop`
   (NULL is allowed) wanted an end nothing had come any more. */
struct message *comm_receive(struct comm *comm, enum packet_kind kind, const struct stop *stop);
/* Since when `stop` has wanted an end and nothing has come; to be 0 at first. True: for too long. */
bool comm_timed_out(struct comm *comm, const struct stop *stop, double *since);
/* A short rest for who found nothing to do, longer the more often; *times: 0 at first. It ends with news, where the
   group is told of them. */
void comm_backoff(struct comm *comm, unsigned *times);

#endif
