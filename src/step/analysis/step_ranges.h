/* Ranges of variables at every point of a step: in reachable states, and between the statements of a transition that
   can fire. */
#ifndef FLOE_STEP_ANALYSIS_STEP_RANGES_H
#define FLOE_STEP_ANALYSIS_STEP_RANGES_H

#include "core/arena.h"
#include "core/threads/stop.h"
#include "model/model.h"

/* [variable] the range of all its elements; the declared one if nothing is known, as after a stop. All memory from
   `arena`, whose guard is active. */
struct value_range *step_ranges_make(const struct model *model, const struct stop *stop, struct arena *arena);

#endif
