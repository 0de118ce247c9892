/* The members of a search that several processes share (api/explore/mpi_job.c): one in each process, or one for each device of
   each, in the order of the processes. All processes call the same of these functions, one after the other, and come to
   the same. */
#ifndef FLOE_ASSEMBLY_H
#define FLOE_ASSEMBLY_H

#include "core/digest.h"
#include "engine/engine.h"
#include "engine/peer_links.h"

/* What a process says before a search begins. */
struct ready {
  uint32_t status, devices;
  unsigned char digest[DIGEST_BYTES]; /* of model and keys */
  unsigned char machine[DIGEST_BYTES];
  char text[400]; /* what is wrong, for rank 0 to tell */
};

struct assembly {
  unsigned *counts;           /* [processes] members of each; NULL: nothing is known yet */
  unsigned size, first;       /* of all; this process's first one */
  struct engine_span machine; /* members of its machine that are next to each other, its own among them */
  bool several;               /* some process has more than one */
  bool on_devices;            /* all are devices */
  uint64_t *owned_by;         /* engine/distributed/state_owner.h */
  struct engine_link *all;    /* [size] */
  struct engine_links *links; /* [counts[process]] */
};

/* Who there is, and whose states are: a process without devices is a member, too. The task has its model, layout and
   initial state where mine->status is FLOE_OK. FLOE_OK: all can go on, but for what becomes of mine->status here. Else
   none does; rank 0 tells who cannot. `again`: it is a second run, without which the verdicts stand. */
floe_status assembly_gather(struct assembly *assembly, const struct engine_task *task, struct ready *mine,
                            floe_log *log, bool again);
/* What the task of this process's search, whose devices are set, has of the others; returns the engine for it. */
const struct engine *assembly_join(struct assembly *assembly, struct engine_task *task, const struct ready *mine);
/* All are prepared, and links->all is what they have for each other. Else none explores; rank 0 tells who is not. */
floe_status assembly_agree(struct assembly *assembly, const struct ready *mine, floe_log *log, bool again);
void assembly_free(struct assembly *assembly);

#endif
