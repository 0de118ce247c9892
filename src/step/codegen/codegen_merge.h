/* Ground transitions that share one piece of generated code (a body). */
#ifndef FLOE_STEP_CODEGEN_CODEGEN_MERGE_H
#define FLOE_STEP_CODEGEN_CODEGEN_MERGE_H

#include "model/model.h"

/* Ground transitions with the same code. */
struct codegen_body {
  const uint32_t *transitions; /* their numbers, in ascending order of the location in which they differ */
  size_t count;
  size_t varying; /* if count > 1: index of the test of that location */
};

/* Number of transitions from `run` on, at most `max`, that the code of the first one serves; at most one of them is
   enabled in a state. If more than 1, they differ only in test *varying and in the change of that location: a
   transition to the location where the instance already is has none. */
size_t codegen_shared_body(const struct transition *run, size_t max, size_t *varying);

#endif
