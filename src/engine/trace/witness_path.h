/* Shortest path to a state, reconstructed backward through the levels of an archive. */
#ifndef FLOE_ENGINE_TRACE_WITNESS_PATH_H
#define FLOE_ENGINE_TRACE_WITNESS_PATH_H

#include "core/threads/thread_pool.h"
#include "engine/comm/comm.h"
#include "engine/trace/level_archive.h"
#include "step/stepper.h"

#include <stdatomic.h>

struct path {
  uint32_t steps;
  uint64_t *states;        /* steps + 1, from the initial one */
  struct step_edge *edges; /* [steps] */
};

struct path_search {
  const struct archive *archive; /* with levels 0..depth - 1 at least */
  const struct stepper *stepper;
  struct thread_pool *pool;
  size_t transition_count;
  atomic_bool *interrupt;
  struct comm *comm; /* of the group whose members each archive a part of every level; NULL: this archive is complete */
};

/* Each predecessor on the path is the least one (word by word) of the previous level, by the first firing in
   canonical order, so the path is the same for every number of threads. FLOE_ERROR_UNSUPPORTED: interrupted.
   FLOE_ERROR_INTERNAL: some state has no predecessor. */
floe_status path_find(const struct path_search *search, uint32_t depth, const uint64_t *target, struct path *out);
void path_free(struct path *path);
/* Serves a COMMAND_FIND_PREDECESSOR, whose content is `request`, on a member other than rank 0. *interrupted: the
   search was interrupted. */
floe_status path_serve(const struct path_search *search, const void *request, size_t bytes, bool *interrupted);

#endif
