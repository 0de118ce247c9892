/* Peer access between GPUs of one machine: the members of a group that can access each other's memory without
   messages (gpu/multi/mailbox.c), in one process or in several. Each member publishes an engine-specific handle
   before the search begins. */
#ifndef FLOE_ENGINE_PEER_LINKS_H
#define FLOE_ENGINE_PEER_LINKS_H

#include <stdint.h>

struct gpu;

struct peer_link {
  uint32_t bytes; /* of content; 0: no peer can access this member */
  unsigned char content[124];
};

/* Members of consecutive ranks. */
struct member_range {
  unsigned first, count;
};

struct peer_links {
  struct peer_link own;        /* written by the engine's prepare */
  const struct peer_link *all; /* [group size]; set by the caller before `explore` */
  struct member_range machine; /* the members on this machine */
  struct member_range process; /* and those of this process among them */
  struct gpu *const *gpus;     /* [process.count] their devices; NULL: one */
};

#endif
