/* Small searches run on one GPU, because per-level synchronisation would cost more than the level itself. The first GPU
   begins alone. When a level shows that the search is large, or memory is full, all GPUs restart it together; only the
   time of the small levels is lost. A restored search uses all GPUs at once: it was large, or long. */
#ifndef FLOE_GPU_MULTI_FIRST_ATTEMPT_H
#define FLOE_GPU_MULTI_FIRST_ATTEMPT_H

#include "engine/engine.h"

struct first_attempt {
  struct engine_task task;             /* `search` refers to it */
  struct search *search;               /* NULL: the attempt is over */
  double explored, built, took_memory; /* seconds of attempts that were abandoned */
};

/* A first attempt is possible: false if the chosen table has a slot for every key and does not fit on one GPU. */
bool first_attempt_possible(const struct engine_task *task);
/* For task->devices.gpus[0], in a group or not; errors as engine_gpu.prepare. With task->devices.others, which would
   have to be opened first, the attempt suffices up to more states. */
floe_status first_attempt_prepare(struct first_attempt *attempt, const struct engine_task *task, floe_log *log);
/* Explores. True: the search is complete, or failed; *out is set if *status is FLOE_OK. False: all GPUs must restart;
   *out is what was found, for engine_outcome_free, and archive and recorder are cleared. Frees the search in both
   cases. */
bool first_attempt_explore(struct first_attempt *attempt, struct engine_outcome *out, floe_status *status);
/* After that, without other GPUs: restarts on task->devices.gpus[0] with the host-backed set. All three operations of
   engine_gpu. */
floe_status restart_on_first(const struct engine_task *task, floe_log *log, struct engine_outcome *out);
/* Adds the times of another abandoned attempt. */
void first_attempt_note_times(struct first_attempt *attempt, const struct engine_outcome *before);
/* Adds the times of all abandoned attempts to the last outcome. */
void first_attempt_add_times(const struct first_attempt *attempt, struct engine_outcome *out);
void first_attempt_drop(struct first_attempt *attempt);

/* In a group of processes (task->group.comm), all of which have GPUs: rank 0 leads, the others follow, prepared or not.
   Uses an epoch of its own. All processes have entered it before any of them prepares, because nested groups use its
   number. True, on all of them: the search is complete, or failed; the outcome has `members` members, the first of
   which explored everything. */
bool first_attempt_lead(struct first_attempt *attempt, const struct engine_task *task, unsigned members, floe_log *log,
                        struct engine_outcome *out, floe_status *status);
/* An interrupt of this process ends rank 0's exploration. *interrupted: an interrupt of some process did. If the group
   fails, comm_status has the error. */
bool first_attempt_follow(struct comm *comm, const struct stop *stop, bool *interrupted);

#endif
