/* All-gather: each member contributes a buffer; every member receives all of them. */
#ifndef FLOE_ENGINE_COMM_ALLGATHER_H
#define FLOE_ENGINE_COMM_ALLGATHER_H

#include "engine/comm/comm.h"

/* One contribution: `bytes` at `content`, aligned for 8. */
struct gathered {
  const unsigned char *content;
  size_t bytes;
};

struct all_gathered {
  struct gathered *by;     /* [size] indexed in rank order */
  struct message *message; /* contains them */
};

/* Each member contributes `bytes` at `mine` and receives all contributions in *out, for gathered_free. `stop` as for
   comm_receive. FLOE_ERROR_IO: a member is lost. FLOE_ERROR_MEMORY. After an error the group is unusable. */
floe_status allgather(struct comm *comm, const void *mine, size_t bytes, const struct stop *stop,
                      struct all_gathered *out);
/* Gather: only rank 0 receives the contributions; for the other members *out is empty. */
floe_status gather_to_root(struct comm *comm, const void *mine, size_t bytes, const struct stop *stop,
                           struct all_gathered *out);
void gathered_free(struct all_gathered *gathered);

#endif
