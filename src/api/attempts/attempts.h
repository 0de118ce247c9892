/* Escalation: a search begins small, and begins again larger. The table in attempts.c lists the attempts: where each
   one explores, and what makes the next one replace it. Time limit and interrupt are those of the whole search. What
   was found is not lost: if the last attempt is cut short, the outcome is that of the attempt that found most. */
#ifndef FLOE_API_ATTEMPTS_ATTEMPTS_H
#define FLOE_API_ATTEMPTS_ATTEMPTS_H

#include "core/threads/delayed_thread.h"
#include "engine/engine.h"

struct attempts;

/* GPUs that are opened in the background while the CPU explores. */
struct attempts_startup {
  double delay; /* seconds */
  /* Called in another thread; sets task.devices and others. NULL: GPUs are open, or there are none. */
  floe_status (*open)(void *user, struct attempts *attempts, const struct stop *stop);
  void *user;
};

/* GPUs that are opened when the search is large or fills the first one. Not with snapshot.from. */
struct attempts_others {
  uint64_t from; /* number of states from which on they are worth using; UINT64_MAX: only for their memory */
  /* Appends them to task.devices.gpus, and sets options->gpu_memory to what the run may use of each. Returns the number
     of GPUs then open; GPUs that cannot be used are left out. NULL: there are no other GPUs. */
  unsigned (*open)(void *user);
  void *user;
};

/* A group of processes (task.group.comm), which make the attempts together. */
struct attempts_group {
  unsigned members;
  bool first_alone; /* all members are GPUs: rank 0's first one begins alone, and the others wait */
  floe_status own;  /* error of this process so far; it takes part nevertheless */
  /* Collective, once this process is prepared, or failed to: FLOE_OK if all are prepared. */
  floe_status (*confirm)(void *user, floe_status own);
  void *user;
};

struct attempts {
  /* Set by the caller; what the task refers to must live until attempts_run returns. */
  struct engine_task task; /* with the GPUs that are open; none: the CPU explores */
  floe_log *log, *gpu_log; /* of the engines on the CPU and on GPUs */
  struct attempts_startup startup;
  struct attempts_others others;
  struct attempts_group group;
  bool
      cpu_helps; /* the CPU explores if GPUs fail. Else only after a stop, before anything was found: it ends at once */

  /* Results. */
  const struct engine *engine; /* of the last attempt, or of the outcome; NULL: none was made */
  floe_status gpu_status;      /* error of GPUs, */
  bool gpu_stopped;            /* which is no failure: the run was to end */
  bool cpu_replaced;           /* GPUs were ready before the CPU had finished */
  double cpu_seconds;          /* of the CPU until GPUs took over; 0: they did not */

  /* Of attempts.c. */
  struct engine_task prepared; /* the task of `search` */
  const struct engine *prepared_by;
  struct search *search; /* prepared for the next attempt; NULL: none */
  struct engine_outcome greatest;
  const struct engine *greatest_engine;
  struct run_seconds {
    double explore, build, memory;
  } seconds;                          /* of abandoned attempts on GPUs */
  uint64_t first_states, full_states; /* as in struct outcome_attempts */
  const char *full_table;             /* of the attempt on all */
  struct delayed_thread start;        /* of GPUs */
  atomic_bool ready;                  /* they are ready and have time left: ends the run on the CPU */
};

/* Prepares the first attempt on GPUs, if that is one on a single GPU. Another thread may continue with attempts_run or
   attempts_drop, one of which must follow. Errors as prepare of an engine. */
floe_status attempts_prepare(struct attempts *attempts);
/* Explores. Errors are those of the last attempt; *out is set on success, for engine_outcome_free. In a group:
   collective. If rank 0's first GPU sufficed, the outcome of the other ranks has only `end`: FLOE_END_INTERRUPT, if an
   interrupt of some process ended it. */
floe_status attempts_run(struct attempts *attempts, struct engine_outcome *out);
void attempts_drop(struct attempts *attempts);

#endif
