/* Mailboxes of devices of one process that reach each other's memory: the host's side of gpu/kernel/mailbox.h. */
#ifndef FLOE_GPU_MAILBOX_HOST_H
#define FLOE_GPU_MAILBOX_HOST_H

#include "engine/engine.h"

struct gpu;
struct gpu_rank;
struct gpu_space;

typedef uint64_t gpu_address; /* gpu/driver.h */

/* The devices of a group within one process, by rank. Each member writes what is at its own number before any of them
   explores. */
struct gpu_peers {
  struct gpu *const *gpus;
  unsigned count;
  struct gpu_mailboxes {
    gpu_address at;
    uint32_t boxes, packets_log; /* as in struct gpu_mail; boxes 0: it has none, or not everyone's memory is in reach */
  } of[MOST_DEVICES];
};

/* Members that kernels are compiled to send to in this way: all, or 0. */
unsigned mailbox_members(const struct gpu_rank *rank);
/* FLOE_OK also where there is no room for any. */
floe_status mailbox_open(struct gpu_rank *rank);
void mailbox_close(struct gpu_rank *rank);
/* All have them, so that this is how keys go. */
bool mailbox_is_used(const struct gpu_rank *rank);
void mailbox_describe(const struct gpu_rank *rank, struct gpu_space *space);

#endif
