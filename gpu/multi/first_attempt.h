/* Small levels are one device's: what members of a group tell each other after each would cost more than the level. So
   the first device begins alone, and where a level shows that the search is large all begin anew together: that loses
   no more than the small levels took. So they do where its memory is full. A search that goes on from a checkpoint is
   all devices' at once: it was large, or long. */
#ifndef FLOE_GPU_ALONE_H
#define FLOE_GPU_ALONE_H

#include "engine/engine.h"

struct first_attempt {
  struct engine_task task;             /* the search refers to it */
  struct search *search;               /* NULL: it is over */
  double explored, built, took_memory; /* seconds of what was begun anew (alone_note) */
};

/* It may begin alone: false where the table that was asked for has a place for every key, and takes more memory than
   one device has. */
bool alone_may_begin(const struct engine_task *task);
/* For task->devices.gpus[0], of a group or not; errors as prepare's of engine_gpu. With task->devices.others, which are to be opened
   first, more has to be found before it is not enough. */
floe_status alone_prepare(struct first_attempt *alone, const struct engine_task *task, floe_log *log);
/* True: that was all, or it failed; *out is set where *status is FLOE_OK. False: all are to begin anew; *out is what it
   found, for engine_outcome_free, and what it kept and recorded is forgotten. Either way the search is dropped. */
bool attempt_suffices(struct first_attempt *alone, struct engine_outcome *out, floe_status *status);
/* After that, where nobody else is to take over: anew with task->devices.gpus[0], and the host's memory for what it does not
   hold. All three operations of engine_gpu. */
floe_status alone_to_the_end(const struct engine_task *task, floe_log *log, struct engine_outcome *out);
/* Something else was begun anew as well. */
void alone_note(struct first_attempt *alone, const struct engine_outcome *before);
/* Adds the seconds of all that to what came of the last one. */
void alone_add(const struct first_attempt *alone, struct engine_outcome *out);
void alone_drop(struct first_attempt *alone);

/* In a group of processes, task->post, all of whom have devices: rank 0 leads, the others follow, prepared or not. It
   is a conversation, and for all the present one before anybody prepares, as nested groups have its number. True, in
   all of them: that was all, or it failed; what is explored then has `members` members, of whom the first did
   everything. */
bool alone_lead(struct first_attempt *alone, const struct engine_task *task, unsigned members, floe_log *log,
                struct engine_outcome *out, floe_status *status);
/* A wish to end that comes here ends rank 0's exploration. *interrupted: such a wish, wherever it came, did. Where the
   group is lost the post says so. */
bool alone_follow(struct comm *comm, const struct stop *stop, bool *interrupted);

#endif
