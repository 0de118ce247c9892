/* How an infinite run satisfies constraints of fairness. */
#ifndef FLOE_API_FAIR_RUN_H
#define FLOE_API_FAIR_RUN_H

#include "api/api.h"
#include "model/temporal/fairness.h"

/* The states 0..count - 1, then those from `loop` on again, for ever. */
struct fair_run {
  const struct model *model;
  const int64_t *values; /* of state i: values + i * stride */
  size_t stride;
  const struct transition *const *transitions; /* [count] of the steps after the states; NULL: the run stays */
  size_t count, loop;
};

/* Those of the list, or, if it is NULL, of the temporal property. False: the list is wrong, logged. In the arena's
   guard. */
bool fairness_of_list(const struct model *model, size_t property, const char *list, struct arena *arena, floe_log *log,
                      struct fairness *out);

/* An element for each constraint, then for each instance without one; in the guard of both arenas. */
const floe_fair *judge_fairness(const struct fair_run *run, const struct fairness *fairness, struct arena *scratch,
                                struct arena *arena, size_t *count);
/* NULL: none. */
const floe_fair *unsatisfied_constraint(const floe_fair *list, size_t count);

#endif
