/* The devices of a group within one process, and the addresses of their mailboxes (gpu/multi/mailbox.h). */
#ifndef FLOE_GPU_ENGINE_PEER_DEVICES_H
#define FLOE_GPU_ENGINE_PEER_DEVICES_H

#include "engine/engine.h"
#include "gpu/driver/driver.h"

/* A member's mailboxes, as a device sees them. */
struct gpu_mailboxes {
  gpu_address at;
  /* As in struct gpu_mailbox_view; boxes 0: none, or some device's memory is not accessible. */
  uint32_t boxes, packets_log;
};

/* One entry for each rank. Each member writes its own entry before any member explores. */
struct gpu_peers {
  struct gpu *const *gpus;
  unsigned count;
  struct gpu_mailboxes of[MOST_DEVICES];
};

#endif
