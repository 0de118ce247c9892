/* Invariants for tests, learned from all reachable states without a proof, so that index keys take every possible
   shape. */
#ifndef FLOE_TESTS_STEP_LEARNED_INVARIANTS_H
#define FLOE_TESTS_STEP_LEARNED_INVARIANTS_H

#include "loaded.h"
#include "step/analysis/invariants.h"

enum learning {
  LEARN_DECLARED, /* declared ranges */
  LEARN_CASES,    /* declared ranges, and ranges by locations and lengths equal to these: true in all states */
  LEARN_RANGES,   /* the least ranges */
  LEARN_PROVED,   /* the invariants that floe proves */
  LEARN_ALL,      /* the least ranges, also by selector, and dependent elements */
  LEARNINGS
};

/* Learns invariants; memory from loaded->arena. NULL: more than `most` reachable states. */
struct invariants *learn_invariants(struct loaded *loaded, enum learning learning, size_t most);
/* Sets loaded->layout to index keys on these invariants. False: too many keys. */
bool use_index_keys(struct loaded *loaded, struct invariants *invariants);

#endif
