/* Depth-first search of a product for an accepting cycle, by one thread, with a bound on its states. Where the searches
   of an engine find states by levels, this one follows a run: a violation that is deep is found after as many states as
   the run is long. Strongly connected components by the algorithm of Couvreur (FM 1999): a component keeps the marks of
   its steps, and one with all of them has an accepting cycle. Work linear in steps. */
#ifndef FLOE_ENGINE_CYCLES_DEPTH_FIRST_H
#define FLOE_ENGINE_CYCLES_DEPTH_FIRST_H

#include "core/threads/stop.h"
#include "step/stepper.h"

enum depth_first_result {
  DEPTH_FIRST_UNKNOWN, /* the bound, no memory, or stopped; a firing failed; strong fairness */
  DEPTH_FIRST_NONE,    /* all states are explored */
  DEPTH_FIRST_CYCLE
};

struct depth_first_task {
  const struct model *model; /* the product */
  const struct layout *layout;
  const struct stepper *stepper;
  uint64_t most; /* states with their successors, below 2^31 */
  struct stop stop;
};

enum depth_first_result depth_first_search(const struct depth_first_task *task);

#endif
