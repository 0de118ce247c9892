/* Ranges of elements in all reachable states: the least fixpoint over intervals. Part of step/analysis/invariants.h.

   Ranges are kept by selector: for each location of a process instance, and for each length of a channel, ranges of the
   elements that belong to it. So "level is 0 while the process is idle" is not lost when another process moves. */
#ifndef FLOE_STEP_ANALYSIS_VALUE_RANGES_H
#define FLOE_STEP_ANALYSIS_VALUE_RANGES_H

#include "core/threads/stop.h"
#include "step/analysis/range_selectors.h"

/* Sets the slots to `ranges`. Until statements run, a selector with one value narrows its elements. */
void ranges_start(struct intervals *intervals, const struct ranges *ranges);
/* Restores this narrowing after statements that ran without it (on_point is NULL). */
void ranges_resume(struct intervals *intervals);
/* Applies the transition's selects and location tests, or its guards, to slots as ranges_start set them. False: the
   transition is never enabled. */
bool ranges_enter(struct intervals *intervals, const struct transition *transition);
bool ranges_guards(struct intervals *intervals, const struct transition *transition);
/* Executes its statements; false: they always fail. */
bool ranges_run(struct intervals *intervals, const struct transition *transition);

/* Declared ranges of all elements, from `arena`. */
struct value_interval *ranges_declared(const struct model *model, struct arena *arena);

/* Computes the ranges. All memory from `arena`, whose guard is active. At a stop the result is the declared ranges.
   `work`: expressions and statements evaluated before ranges that grow are widened to the declared ones. */
#define RANGES_WORK 6000000
const struct ranges *ranges_make(const struct model *model, uint64_t work, const struct stop *stop,
                                 struct arena *arena);

#endif
