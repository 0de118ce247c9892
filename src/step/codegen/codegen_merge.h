/* Which ground transitions one text serves. */
#ifndef FLOE_CODEGEN_MERGE_H
#define FLOE_CODEGEN_MERGE_H

#include "model/model.h"

/* Ground transitions with one text. */
struct codegen_body {
  const uint32_t *members; /* their numbers, in ascending order of the location that tells them apart */
  size_t count;
  size_t varying; /* where count > 1: the number of the test of that location */
};

/* Of the `most` transitions from `run` on, the number of those that the first one's text
   serves: at most one of them is enabled in a state. Where it is more than 1, they differ in test *varying, and in that
   one that is where the others go does not go there. */
size_t codegen_alike(const struct transition *run, size_t most, size_t *varying);

#endif
