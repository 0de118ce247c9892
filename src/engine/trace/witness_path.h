/* A shortest path to a state, found backward in the levels of an archive. */
#ifndef FLOE_PATH_H
#define FLOE_PATH_H

#include "core/thread_pool.h"
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
  const struct archive *archive; /* of levels 0..depth - 1 at least */
  const struct stepper *stepper;
  struct thread_pool *pool;
  size_t transition_count;
  atomic_bool *interrupt;
  struct comm *comm; /* of the group of which each member has a part of every level; NULL: all is here */
};

/* Before every state of the path comes its least predecessor (word by word) of the level before, by
   the first firing in canonical order: the path is the same for every number of threads.
   FLOE_ERROR_UNSUPPORTED: interrupted. FLOE_ERROR_INTERNAL: some state has no predecessor. */
floe_status path_find(const struct path_search *search, uint32_t depth, const uint64_t *target, struct path *out);
void path_free(struct path *path);
/* In a member of a group that is not rank 0: its answer to a COMMAND_FIND_PREDECESSOR, whose content is `question`.
 *interrupted: the answer is that it was. */
floe_status path_serve(const struct path_search *search, const void *question, size_t bytes, bool *interrupted);

#endif
