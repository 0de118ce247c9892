/* The members of a search that several processes share (api/explore/mpi_job.c): one in each process, or one for each device of
   each, in the order of the processes. All processes call the same of these functions, one after the other, and come to
   the same. */
#ifndef FLOE_ASSEMBLY_H
#define FLOE_ASSEMBLY_H

#include "core/digest.h"
#include "engine/engine.h"
#include "engine/peer_links.h"

/* What a process says before a search begins. */
struct hello {
  uint32_t status, devices;
  unsigned char digest[DIGEST_BYTES]; /* of model and keys */
  unsigned char machine[DIGEST_BYTES];
  char text[400]; /* what is wrong, for rank 0 to tell */
};

struct group_setup {
  unsigned *counts;           /* [processes] members of each; NULL: nothing is known yet */
  unsigned size, first;       /* of all; this process's first one */
  struct member_range machine; /* members of its machine that are next to each other, its own among them */
  bool several;               /* some process has more than one */
  bool on_devices;            /* all are devices */
  uint64_t *owner_mask;         /* engine/distributed/state_owner.h */
  struct peer_link *all;    /* [size] */
  struct peer_links *links; /* [counts[process]] */
};

/* Who there is, and whose states are: a process without devices is a member, too. The task has its model, layout and
   initial state where mine->status is FLOE_OK. FLOE_OK: all can go on, but for what becomes of mine->status here. Else
   none does; rank 0 tells who cannot. `again`: it is a second run, without which the verdicts stand. */
floe_status group_setup_gather(struct group_setup *setup, const struct engine_task *task, struct hello *mine,
                            floe_log *log, bool again);
/* What the task of this process's search, whose devices are set, has of the others; returns the engine for it. */
const struct engine *group_setup_join(struct group_setup *setup, struct engine_task *task, const struct hello *mine);
/* All are prepared, and links->all is what they have for each other. Else none explores; rank 0 tells who is not. */
floe_status group_setup_agree(struct group_setup *setup, const struct hello *mine, floe_log *log, bool again);
void group_setup_free(struct group_setup *setup);

#endif
