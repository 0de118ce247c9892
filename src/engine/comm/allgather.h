/* What all members of a group say at one time, to each other: once nobody works, each tells what he has come to, and
   all come to the same conclusions from the same figures. */
#ifndef FLOE_AGREE_H
#define FLOE_AGREE_H

#include "engine/comm/comm.h"

/* What somebody said: `bytes` at `content`, aligned for 8. */
struct said {
  const unsigned char *content;
  size_t bytes;
};

struct said_all {
  struct said *by; /* [size] by rank */
  struct message *message;
};

/* Each member says `bytes` at `mine`; returns what all said. `stop` as for post_await. FLOE_ERROR_IO: somebody is lost.
   FLOE_ERROR_MEMORY. After an error the group is of no use any more. *out is for agree_free. */
floe_status agree(struct post *post, const void *mine, size_t bytes, const struct stop *stop, struct said_all *out);
/* The same, but rank 0 alone is told: *out has nothing for the others. */
floe_status agree_tell_first(struct post *post, const void *mine, size_t bytes, const struct stop *stop,
                             struct said_all *out);
void agree_free(struct said_all *said);

#endif
