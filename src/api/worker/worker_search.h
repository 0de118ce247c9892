/* Part of a process other than 0 in a search by all processes of an MPI job: the model and the options that a search
   command describes. They stay until the next search, for commands about the states that it found. */
#ifndef FLOE_API_WORKER_WORKER_SEARCH_H
#define FLOE_API_WORKER_WORKER_SEARCH_H

#include "api/api.h"
#include "api/device/gpus.h"
#include "api/explore/search_command.h"
#include "core/threads/thread_pool.h"
#include "engine/trace/level_archive.h"

struct worker {
  const floe_options *given; /* of this process: threads, memory, compiler, cache, devices */
  floe_log *log;
  floe_model *model;
  const struct layout *layout;
  floe_options options;
  struct arena arena;
  struct stepper *stepper;
  struct thread_pool *pool;
  struct archive *archive;
  struct gpus gpus;
  struct stop stop;
  uint64_t *initial;
  bool traces; /* an interrupt ends traces: the last search is over, the next one has not begun */
};

/* Runs a search. Errors of the search are the same in all processes, and process 0 logs them. An error that is returned
   means that the group cannot be used any more. */
floe_status worker_explore(struct worker *worker, const struct search_command *command);
/* True: from now on an interrupt ends traces; false: the next search. */
void worker_set_phase(struct worker *worker, bool traces);
/* Frees everything but worker->given. */
void worker_clear(struct worker *worker);

#endif
