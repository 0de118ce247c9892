/* What all members of a group say at one time, to each other: once nobody works, each tells what he has come to, and
   all come to the same conclusions from the same figures. */
#ifndef FLOE_AGREE_H
#define FLOE_AGREE_H

#include "engine/comm/comm.h"

/* What somebody said: `bytes` at `content`, aligned for 8. */
struct gathered {
  const unsigned char *content;
  size_t bytes;
};

struct all_gathered {
  struct gathered *by; /* [size] by rank */
  struct message *message;
};

/* Each member says `bytes` at `mine`; returns what all said. `stop` as for comm_receive. FLOE_ERROR_IO: somebody is lost.
   FLOE_ERROR_MEMORY. After an error the group is of no use any more. *out is for gathered_free. */
floe_status agree(struct comm *comm, const void *mine, size_t bytes, const struct stop *stop, struct all_gathered *out);
/* The same, but rank 0 alone is told: *out has nothing for the others. */
floe_status gather_to_root(struct comm *comm, const void *mine, size_t bytes, const struct stop *stop,
                             struct all_gathered *out);
void gathered_free(struct all_gathered *gathered);

#endif
