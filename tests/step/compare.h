/* Two steppers of one model must agree transition by transition. */
#ifndef FLOE_TESTS_STEP_COMPARE_H
#define FLOE_TESTS_STEP_COMPARE_H

#include "loaded.h"
#include "step/stepper.h"

struct comparison {
  const struct loaded *loaded;
  struct stepper *reference, *other;
  size_t max_states;    /* reachable states that are compared, breadth first */
  size_t random_states; /* further states with arbitrary values in their ranges */
  uint64_t seed;
  /* results */
  uint64_t expected; /* successors of a state where nothing fails, at most (model/transitions/successor_bound.h) */
  size_t states, edges, failures, triggers, by_changes;
  char difference[200]; /* "": none */
};

/* False with a text in `difference` at the first disagreement. */
bool compare_steppers(struct comparison *comparison);

#endif
