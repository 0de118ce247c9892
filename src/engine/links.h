/* Members of a group in processes of one machine, each with a device of its own, that may reach each other's memory
   without the group's messages (gpu/mailbox.c). What others need for that each member says before the search begins;
   what that is their engine knows. */
#ifndef FLOE_ENGINE_LINKS_H
#define FLOE_ENGINE_LINKS_H

#include <stdint.h>

struct engine_link {
  uint32_t bytes; /* of content; 0: nobody can reach this member */
  unsigned char content[124];
};

struct engine_links {
  struct engine_link own;        /* written by the engine's prepare */
  const struct engine_link *all; /* by rank; set by its caller before it explores */
};

#endif
