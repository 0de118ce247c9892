/* Processes that explore one model together, each with a part of the states: messages between them, whoever carries
   them. A kind of group is one constant struct of operations: src/mpi/ has that of an MPI job, tests/engine/ one of
   threads with delays at random. What is sent when is engine/comm/exchange.h and engine/comm/allgather.h.

   A message may end in memory of a device (`far`): who has an MPI library that sends from there, and receives there,
   need not copy states to the host.

   Of a group one thread at a time may call anything. Messages of one lane from one member to another arrive in the
   order in which they were sent, each once; between lanes there is no order. Nothing is lost, and nothing waits: a
   message that the receiver does not ask for stays under way, and takes memory of the sender's alone but for few. */
#ifndef FLOE_GROUP_H
#define FLOE_GROUP_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DATA: states, asked for when there is room for them. CONTROL: all else, small and always asked for. */
enum group_channel { GROUP_DATA, GROUP_CONTROL, GROUP_CHANNELS };

/* Made by message_make or message_pool_take, freed by message_free; whose it is, each operation says. */
struct message {
  struct message *next; /* for whoever has it */
  struct message_pool *message_pool;  /* where it goes when it is freed (message_pool_new); NULL: it is of message_make */
  unsigned from;        /* set on arrival */
  size_t bytes;         /* of `content` */
  void *far;            /* of a stock of such messages: memory of a device, which no processor sees */
  size_t far_bytes;     /* what follows the content there; 0: nothing does */
  _Alignas(8) unsigned char content[];
};

/* DATA messages that a group may have begun to take before it is asked for them. */
#define GROUP_BEGUN 4

/* Behind the content of each message there is room for so many bytes more: what groups put there on its way
   (engine/comm/group_nested.h, mpi/group_mpi.c). */
#define GROUP_BEHIND 16

struct group;

struct group_kind {
  const char *name;
  /* Begins to send; the message is the group's from now on, which frees it once it is sent. Messages to oneself are
     not allowed. FLOE_ERROR_IO: it cannot be sent; the group is of no use any more. FLOE_ERROR_MEMORY. */
  floe_status (*send)(struct group *group, unsigned to, enum group_channel lane, struct message *message);
  /* One that has arrived, which is the caller's then; NULL: there is none. Errors as for send. */
  floe_status (*receive)(struct group *group, enum group_channel lane, struct message **out);
  /* DATA messages sent that their receivers have not begun to take; also gets on with what is under way. */
  size_t (*under_way)(struct group *group);
  /* Waits for something new, so many seconds at most: a message that has arrived, or one of its own that was taken.
     Any thread at any time. NULL: the kind is not told. */
  void (*wait)(struct group *group, double seconds);
  /* A group of the same members with messages of its own: the same one at each call, closed with this one. What is
     called of one is not called of the other at the same time. NULL: no memory. The operation is NULL: the kind has
     none. */
  struct group *(*another)(struct group *group);
  /* Ends all members' processes at once, without more being written; `code`: exit code, where the launcher can hand
     it on. Does not return. */
  void (*abort)(struct group *group, int code);
  /* Everything sent has arrived, or is given up where `lost`: some member is not there any more. */
  void (*close)(struct group *group, bool lost);
};

/* Constant as long as it lives, but for `stock`. */
struct group {
  const struct group_kind *kind;
  unsigned rank, size; /* this member's number, 0 <= rank < size; rank 0 leads */
  struct message_pool *message_pool; /* what kinds with copies of their own receive of DATA goes into its messages while it has any;
                          NULL: there is none. Set while nobody receives */
  bool takes_far; /* DATA may have a far part. It arrives in the far part of one of the stock, or behind the content
                     where that has none left */
};

/* Room for a message of so many bytes; NULL: no memory. */
struct message *message_make(size_t bytes);
void message_free(struct message *message); /* NULL is allowed */

/* Messages that are used again and again, in memory that their maker has: page-locked, which a device copies from and
   to (gpu/multi/outbox.c). Any thread at any time. */
struct message_pool;

/* For `count` messages with room for `bytes` of content each, and a route. */
size_t message_pool_bytes(unsigned count, size_t bytes);
/* In memory of that many bytes, aligned for 8. NULL: no memory for the rest. */
struct message_pool *message_pool_new(void *memory, unsigned count, size_t bytes);
/* The same where each message has `far_bytes` of a device's memory, too, one after the other from `far` on. */
struct message_pool *message_pool_new_device(void *memory, unsigned count, size_t bytes, void *far, size_t far_bytes);
/* One of `bytes`, what groups put behind them counted or not, for message_free; NULL: none is left, or they have no
   room for that. */
struct message *message_pool_take(struct message_pool *message_pool, size_t bytes);
/* Of its far part; 0: it has none. */
size_t message_pool_device_room(const struct message_pool *message_pool);
/* False: some are not back yet; whoever has them may still use the memory, and it all stays as it is. NULL is allowed.
 */
bool message_pool_free(struct message_pool *message_pool);

#endif
