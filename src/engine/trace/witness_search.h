/* Search of one level for the predecessors of several states, by the threads of a process. */
#ifndef FLOE_ENGINE_TRACE_WITNESS_SEARCH_H
#define FLOE_ENGINE_TRACE_WITNESS_SEARCH_H

#include "core/threads/stop.h"
#include "core/threads/thread_pool.h"
#include "engine/comm/comm.h"
#include "engine/trace/level_source.h"
#include "step/stepper.h"

struct path_search {
  struct level_source levels; /* 0..depth - 1 at least, of every target */
  const struct stepper *stepper;
  struct thread_pool *pool;
  size_t transition_count;
  struct stop stop;
  struct comm *comm;      /* of the group whose members each have a part of every level; NULL: `levels` are complete */
  atomic_bool *interrupt; /* in a group: set if another member was interrupted */
};

/* Least predecessors of the targets. */
struct predecessors {
  uint32_t words;
  uint64_t found;          /* bit i: target i has one */
  uint64_t *states;        /* `words` each */
  struct step_edge *edges; /* the first firing that leads to the target */
};

bool predecessors_create(struct predecessors *self, uint32_t words, unsigned count); /* false: no memory */
void predecessors_free(struct predecessors *self);
/* `state` is less than the one that is kept for the target, or none is. */
bool predecessors_improve(const struct predecessors *self, unsigned target, const uint64_t *state);
void predecessors_keep(struct predecessors *self, unsigned target, const uint64_t *state, struct step_edge edge);

struct finder;

struct backward {
  const struct path_search *search;
  uint32_t words, level;
  const uint64_t *targets; /* [target_count], of the next level; no two are equal */
  unsigned target_count;
  uint64_t filter; /* the bits of all targets */
  struct finder *finders;
  unsigned finder_count;
  atomic_uint_fast64_t ticket;
  atomic_bool failed; /* reading levels failed */
};

bool backward_open(struct backward *back, const struct path_search *search); /* false: no memory */
void backward_close(struct backward *back);                                  /* after backward_open with any result */
/* Searches back->level for predecessors of back->targets. *best, valid until the next call, may lack some.
   FLOE_ERROR_UNSUPPORTED: stopped; FLOE_ERROR_IO. */
floe_status backward_search(struct backward *back, struct predecessors **best);

#endif
