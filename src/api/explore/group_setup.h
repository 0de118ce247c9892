/* Handshake before a search by all processes of an MPI job: determines the members of the group, checks that all have
   the same model, and exchanges the addresses of GPU memory.

   A process is one member, or one member per GPU; members are numbered in rank order. All functions but
   group_setup_join and group_setup_free are collective: all processes call them in the same order, and all return the
   same. */
#ifndef FLOE_API_EXPLORE_GROUP_SETUP_H
#define FLOE_API_EXPLORE_GROUP_SETUP_H

#include "core/system/digest.h"
#include "engine/engine.h"
#include "engine/peer_links.h"

/* First message of each process. */
struct hello {
  uint32_t status; /* floe_status of what the process has prepared */
  uint32_t devices;
  unsigned char digest[DIGEST_BYTES]; /* of model and keys */
  unsigned char machine[DIGEST_BYTES];
  char text[400]; /* the error, which process 0 logs */
};

struct group_setup {
  unsigned *counts;            /* [processes] members of each; NULL: before group_setup_gather */
  unsigned size;               /* number of members */
  unsigned first;              /* first member of this process */
  struct member_range machine; /* consecutive members on this machine, those of this process included */
  bool several;                /* some process has more than one member */
  bool on_devices;             /* all members are GPUs */
  uint64_t *owner_mask;        /* engine/distributed/state_owner.h */
  struct peer_link *all;       /* [size] */
  struct peer_links *links;    /* [counts[rank]] */
};

/* First step: gathers the hellos and determines members and owner_mask. A process without GPUs is a member, too. Where
   mine->status is FLOE_OK the task must have its model, layout and initial state. FLOE_OK: the search can be prepared,
   unless mine->status became an error here, which group_setup_confirm reports. Else no process may explore, and process
   0 has logged which one failed. `second_pass`: a failure leaves the verdicts valid, and is logged as a warning. */
floe_status group_setup_gather(struct group_setup *setup, const struct engine_task *task, struct hello *mine,
                               floe_log *log, bool second_pass);
/* True: process 0 first tries the search with its first device alone (gpu/multi/first_attempt.h), which begins an epoch
   of its own. After group_setup_gather. */
bool group_setup_begins_alone(const struct group_setup *setup, const struct engine_task *task);
/* Sets the group's part of this process's task, whose devices are set. Returns the engine for it. */
const struct engine *group_setup_join(struct group_setup *setup, struct engine_task *task, const struct hello *mine);
/* Last step, after engine->prepare: gathers setup->links[].own of all members into setup->all. FLOE_OK: all processes
   are prepared. Else no process may explore, and process 0 has logged which one failed. */
floe_status group_setup_confirm(struct group_setup *setup, const struct hello *mine, floe_log *log, bool second_pass);
void group_setup_free(struct group_setup *setup);

#endif
