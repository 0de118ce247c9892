/* The devices of a group within one process, and where each has its mailboxes (gpu/multi/mailbox.c). */
#ifndef FLOE_GPU_PEERS_H
#define FLOE_GPU_PEERS_H

#include "engine/engine.h"
#include "gpu/driver/driver.h"

/* A member's mailboxes, as a device sees them. */
struct gpu_mailboxes {
  gpu_address at;
  uint32_t boxes, packets_log; /* as in struct gpu_mailbox_view; boxes 0: it has none, or not everyone's memory is in reach */
};

/* By rank. Each member writes what is at its own number before any of them explores. */
struct gpu_peers {
  struct gpu *const *gpus;
  unsigned count;
  struct gpu_mailboxes of[MOST_DEVICES];
};

#endif
