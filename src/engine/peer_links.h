/* Members of a group on one machine, each with a device of its own, that may reach each other's memory without the
   group's messages (gpu/multi/mailbox.c), in one process or in several. What others need for that each member says
   before the search begins; what that is their engine knows. */
#ifndef FLOE_ENGINE_LINKS_H
#define FLOE_ENGINE_LINKS_H

#include <stdint.h>

struct gpu;

struct peer_link {
  uint32_t bytes; /* of content; 0: nobody can reach this member */
  unsigned char content[124];
};

/* Members that are next to each other by rank. */
struct member_range {
  unsigned first, count;
};

struct peer_links {
  struct peer_link own;        /* written by the engine's prepare */
  const struct peer_link *all; /* by rank; set by its caller before it explores */
  struct member_range machine; /* this member and others of its machine */
  struct member_range process; /* and those of its process among them */
  struct gpu *const *gpus;     /* [process.count] their devices; NULL: there is one */
};

#endif
