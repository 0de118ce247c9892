/* Parts of interpreter_fire (stepper.h) for callers that try many transitions in one state. */
#ifndef FLOE_INTERPRETER_H
#define FLOE_INTERPRETER_H

#include "step/stepper.h"

/* Is every instance where the transition wants it? */
bool interpreter_tests_hold(const struct model *model, const struct transition *transition, const int64_t *values);

/* One choice of a transition whose tests hold. As interpreter_fire, but the successor goes to
   `after`, which may be `before` itself; after a failure it is undefined. */
bool interpreter_try(const struct model *model, const struct transition *transition, uint32_t choice,
                     const int64_t *before, int64_t *after, int64_t *temps, uint32_t *site);

#endif
