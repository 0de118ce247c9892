/* A search by all processes of an MPI job: handshake, attempts, exploration. */
#ifndef FLOE_API_ATTEMPTS_GROUP_EXPLORE_H
#define FLOE_API_ATTEMPTS_GROUP_EXPLORE_H

#include "api/attempts/attempts.h"

/* Collective, with the same arguments but for each process's own devices: determines the members of the group, checks
   that all have the same model, exchanges the addresses of GPU memory, and makes the attempts (attempts_run; sets
   attempts->group). A process is one member, or one member per GPU; members are numbered in rank order, and a process
   without GPUs is a member, too. `own`: error of this process so far, which `log` has; otherwise the task has its
   model, layout and initial state. If a process cannot begin, none explores, and process 0 logs which one, as a warning
   for a second pass (with task.archive). */
floe_status group_explore(struct attempts *attempts, floe_status own, floe_log *log, struct engine_outcome *out);

#endif
