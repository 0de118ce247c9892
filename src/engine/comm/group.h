/* Message transport between the members of a group: processes or threads that explore one model together, each with a
   part of the states. A transport is one constant struct of operations: src/mpi/ has the one of an MPI job,
   engine/comm/group_local.h the one of threads, tests/engine/comm/ one with random delays. The protocols on top are in
   engine/comm/exchange.h and engine/comm/allgather.h.

   A message may have a payload in device memory, so that an MPI library that sends and receives device memory need not
   copy states to the host.

   One thread at a time may call the operations of a group. Messages on one channel from one member to another arrive
   in the order in which they were sent, each once; between channels there is no order. Nothing is lost, and no
   operation blocks: a message that the receiver does not take stays in flight and, except for a few, occupies memory
   of the sender alone. */
#ifndef FLOE_ENGINE_COMM_GROUP_H
#define FLOE_ENGINE_COMM_GROUP_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DATA: states, received when there is room for them. CONTROL: all other messages, small and always received. */
enum group_channel { GROUP_DATA, GROUP_CONTROL, GROUP_CHANNELS };

/* Made by message_make or message_pool_take, freed by message_free. Each operation states which side owns it. */
struct message {
  struct message *next;              /* for the owner's lists */
  struct message_pool *message_pool; /* pool to which message_free returns it; NULL: made by message_make */
  unsigned from;                     /* set on arrival */
  size_t bytes;                      /* of `content` */
  void *payload;                     /* in device memory, not accessible by the host; NULL: none */
  size_t payload_bytes;              /* of the payload; 0: there is none */
  _Alignas(8) unsigned char content[];
};

/* DATA messages that a group may begin to receive before `receive` is called. */
#define GROUP_PREFETCHED 4

/* Bytes behind the content of each message that transports may use for a trailer (engine/comm/group_nested.h,
   mpi/group_mpi.c). */
#define GROUP_TRAILER_BYTES 16

struct group;

struct group_kind {
  const char *name;
  /* Begins to send. The group owns the message from now on and frees it once it is sent. A member must not send to
     itself. FLOE_ERROR_IO: it cannot be sent; the group is unusable. FLOE_ERROR_MEMORY. */
  floe_status (*send)(struct group *group, unsigned to, enum group_channel channel, struct message *message);
  /* A message that has arrived, owned by the caller; NULL: none has. Errors as for send. */
  floe_status (*receive)(struct group *group, enum group_channel channel, struct message **out);
  /* DATA messages sent that their receivers have not begun to receive; also makes progress with sending. */
  size_t (*in_flight)(struct group *group);
  /* Waits until a message has arrived or a receiver has taken one of this member's messages, at most so many seconds.
     Any thread at any time. NULL: the transport has no notification. */
  void (*wait)(struct group *group, double seconds);
  /* A second group of the same members with separate messages, closed with this one; each call returns the same. The
     two must not be called concurrently. NULL: no memory. The operation is NULL: not supported. */
  struct group *(*duplicate)(struct group *group);
  /* Ends the processes of all members at once, without further output; `code`: the exit code, if the launcher can
     pass it on. Does not return. */
  void (*abort)(struct group *group, int code);
  /* Returns when every sent message has arrived, or drops them if `lost`: a member is gone. */
  void (*close)(struct group *group, bool lost);
};

/* Constant for its lifetime, except message_pool. */
struct group {
  const struct group_kind *kind;
  unsigned rank, size;               /* number of this member, 0 <= rank < size; rank 0 leads */
  struct message_pool *message_pool; /* transports that copy receive DATA into messages of this pool while it has any;
                                        NULL: none. Set it only while no thread receives */
  bool device_aware; /* DATA may have a device payload. It arrives in the device memory of a message of the pool, or, if
                        none is free, behind the content of another message */
};

/* A message with room for `bytes`; NULL: no memory. */
struct message *message_make(size_t bytes);
void message_free(struct message *message); /* NULL is allowed */

/* Pool of reusable messages in memory of the caller: page-locked memory, for copies from and to a device
   (gpu/multi/outbox.c). Any thread at any time. */
struct message_pool;

/* Memory for `count` messages with room for `bytes` of content each, and a trailer. */
size_t message_pool_bytes(unsigned count, size_t bytes);
/* `memory` has that many bytes, aligned for 8. NULL: no memory for the pool itself. */
struct message_pool *message_pool_new(void *memory, unsigned count, size_t bytes);
/* The same, and each message has `payload_bytes` of device memory, one after the other from `payload` on. */
struct message_pool *message_pool_new_device(void *memory, unsigned count, size_t bytes, void *payload,
                                             size_t payload_bytes);
/* A message of `bytes`, with or without a trailer, for message_free; NULL: none is free, or they are too small. */
struct message *message_pool_take(struct message_pool *message_pool, size_t bytes);
/* Bytes of device memory of each message; 0: none. */
size_t message_pool_device_room(const struct message_pool *message_pool);
/* False: some messages are still in use; then the pool and the memory stay valid. NULL is allowed. */
bool message_pool_free(struct message_pool *message_pool);

#endif
