/* Members of a group on one machine, each with a device of its own, that may reach each other's memory without the
   group's messages (gpu/multi/mailbox.c), in one process or in several. What others need for that each member says before the
   search begins; what that is their engine knows. */
#ifndef FLOE_ENGINE_LINKS_H
#define FLOE_ENGINE_LINKS_H

#include <stdint.h>

struct gpu;

struct engine_link {
  uint32_t bytes; /* of content; 0: nobody can reach this member */
  unsigned char content[124];
};

/* Members that are next to each other by rank. */
struct engine_span {
  unsigned first, count;
};

struct engine_links {
  struct engine_link own;        /* written by the engine's prepare */
  const struct engine_link *all; /* by rank; set by its caller before it explores */
  struct engine_span machine;    /* this member and others of its machine */
  struct engine_span process;    /* and those of its process among them */
  struct gpu *const *gpus;       /* [process.count] their devices; NULL: there is one */
};

#endif
