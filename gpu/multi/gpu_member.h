/* A GPU as member of a group: what gpu/multi keeps of it (gpu_search.member). */
#ifndef FLOE_GPU_MULTI_GPU_MEMBER_H
#define FLOE_GPU_MULTI_GPU_MEMBER_H

#include "gpu/engine/gpu_search.h"
#include "gpu/engine/peer_devices.h"

#include <stdatomic.h>

/* States for other members. Receivers in this process copy them. */
struct gpu_outbox {
  gpu_address states; /* as in struct gpu_outboxes; 0: none */
  atomic_uint unread; /* packets whose receivers have not copied yet */
};

/* Content of a packet to a device of this process: the address of the states, valid until `unread` is decremented. */
struct peer_copy {
  gpu_address states;
  atomic_uint *unread;
};

/* Messages in which states are sent (outbox.c). */
struct packet_pool {
  struct message_pool *messages;
  void *memory;       /* NULL: receivers copy (task->group.peers) */
  gpu_address device; /* the states, if the group sends from device memory; 0: they are page-locked, in the packets */
};

/* Outgoing states. Kernels fill one of two sets of outboxes while the other one is sent. */
struct member_out {
  gpu_address counts, duplicate_filter, owner_mask; /* as in struct gpu_outboxes; owner_mask 0: all bits, or one word */
  uint64_t room, full;
  uint32_t parts;
  struct gpu_outbox boxes[2];
  unsigned filling;  /* the set that the next launch fills */
  bool filled;       /* a launch has written to it since it was emptied */
  uint64_t *counted; /* states in each outbox of the other set */
  unsigned box;      /* of the other set: the first outbox that is not sent yet */
  uint64_t sent;     /* states of that outbox that are sent */
  struct packet_pool pool;
};

/* Incoming states. */
struct member_in {
  struct message *packet; /* being inserted; NULL: none */
  uint64_t taken;         /* states of it that were inserted */
  size_t waiting;         /* packets at the last poll */
  unsigned idle_polls;    /* polls since the last packet arrived */
};

/* The exchange phase of a level. */
struct member_phase {
  uint32_t number;         /* from 1 on: of the current level (gpu/kernel/multi/mailbox.h) */
  bool expanded;           /* this member's part of the level is expanded */
  bool drained;            /* all keys that others sent to its mailboxes in this phase are inserted */
  bool checkpoint_due;     /* once all members are paused */
  uint64_t closed;         /* levels that kernels closed together with those of the other members */
  unsigned caught_up;      /* of these, levels closed by a later launch than the others' */
  double reduced_at;       /* time of the last collective reduction */
  uint64_t known_left_out; /* mailboxes.left_out at that time */
};

/* Mailboxes (mailbox.c). */
struct member_mailboxes {
  struct gpu_mailboxes boxes[GPU_MOST_LINKED]; /* of the linkable members. Its own entry has address 0 if it has none */
  uint64_t bytes;
  uint64_t in_flight; /* packets sent to mailboxes, less those taken out of its own, modulo 2^64 */
  uint64_t left_out;  /* states that found no room in mailboxes so far */
};

struct gpu_member {
  struct member_out out;
  struct member_in in;
  struct member_phase phase;
  struct member_mailboxes mailboxes;
  struct engine_violation *violations; /* of this level, by property */
};

/* All members are devices of this process. */
static inline bool member_has_peers(const struct gpu_search *self) { return self->search.task->group.peers != NULL; }
/* Size of a state as it is sent. */
static inline uint32_t member_words(const struct gpu_search *self) { return self->tree.words ? self->tree.words : 1; }
static inline uint64_t member_state_bytes(const struct gpu_search *self) {
  return member_words(self) * sizeof(uint64_t);
}

#endif
