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
struct letter {
  uint32_t kind;         /* enum letter_kind */
  uint32_t conversation; /* its number */
  uint64_t number;       /* of what follows, or what the kind says */
  unsigned char content[];
};

enum letter_kind {
  LETTER_STATES, /* DATA: `number` states */
  LETTER_STOP,   /* the phase is to end; to rank 0: its exploration is (gpu/multi/first_attempt.h) */
  LETTER_SENT,   /* `number` LETTER_STATES have come or will come from there in this phase, and no more */
  LETTER_MINE,   /* to rank 0: what an agreement is about */
  LETTER_ALL,    /* from rank 0: what all have said, by rank; or `number`: what it has come to (gpu/multi/first_attempt.h) */
  LETTER_ALIVE,  /* from rank 0, which is at work on something that takes long: nobody is to take it for lost */
  LETTER_TASK,   /* from rank 0: what to do next (api/explore/mpi_job.c) */
  LETTER_ANSWER  /* to rank 0 */
};

/* What a LETTER_TASK begins with; what follows is its author's (api/explore/mpi_job.c, engine/trace/witness_path.c, api/trace/unfired_distributed.c). */
enum task {
  TASK_EXPLORE,     /* a search */
  TASK_PREDECESSOR, /* of a state, among those that the last search keeps of a level */
  TASK_NEVER,       /* why transitions never fired, by the states that the last search keeps */
  TASK_LEAVE        /* nothing more; letter.number: the exit code */
};

struct post {
  struct group *group;
  pthread_mutex_t mutex;
  struct message *first, **last; /* CONTROL, arrived and not taken, in the order of arrival */
  uint32_t conversation;         /* the present one */
  floe_status status;            /* FLOE_ERROR_IO, FLOE_ERROR_MEMORY: it is of no use any more */
  double silent_since;           /* when the last message came, or the post was opened */
  uint64_t messages, bytes;      /* sent, of both lanes */
  double waited;                 /* seconds in which the member waited for others */
  double busy_until;             /* the machine had work for others: who waits sleeps */
};

/* Seconds after which those who do not answer a wish to end are taken for lost (tests have less). */
extern double post_patience;

void post_open(struct group *group, struct post *out);
void post_close(struct post *post, bool lost);

/* The post is of no use any more, for this reason, if it was of use till now: who cannot take part in what all do. */
void post_fail(struct post *post, floe_status status);
/* post->status, while others may use the post. */
floe_status post_status(struct post *post);
/* The next conversation: what came of earlier ones is forgotten. While nobody else uses the post. */
void post_next(struct post *post);

/* A message for a letter with so many bytes of content, and its letter; NULL: no memory. */
struct message *letter_make(enum letter_kind kind, uint64_t number, size_t bytes);
static inline struct letter *letter_of(struct message *message) { return (struct letter *)message->content; }
static inline size_t letter_bytes(const struct message *message) { return message->bytes - sizeof(struct letter); }

/* Sends what is the post's from now on, as a letter of the present conversation. After an error nothing is sent;
   post->status has it. NULL: post->status becomes FLOE_ERROR_MEMORY. */
void post_send(struct post *post, unsigned to, struct message *letter);
/* To all others, of the same content. */
void post_send_all(struct post *post, enum letter_kind kind, uint64_t number, const void *content, size_t bytes);
/* A CONTROL letter of the present conversation that has come, of this kind; NULL: none. */
struct message *post_take(struct post *post, enum letter_kind kind);
/* The same of DATA: the next letter. One at a time, and only who has room for it asks. */
struct message *post_take_states(struct post *post);
/* DATA letters that are under way. */
size_t post_under_way(struct post *post);
/* Waits for it. NULL: post->status says why, or those who are to answer are taken for lost: some seconds after `stop`
   (NULL is allowed) wanted an end nothing had come any more. */
struct message *post_await(struct post *post, enum letter_kind kind, const struct stop *stop);
/* Since when `stop` has wanted an end and nothing has come; to be 0 at first. True: for too long. */
bool post_is_lost(struct post *post, const struct stop *stop, double *since);
/* A short rest for who found nothing to do, longer the more often; *times: 0 at first. It ends with news, where the
   group is told of them. */
void post_rest(struct post *post, unsigned *times);

#endif
