/* Ranges of elements in all reachable states: the least fixpoint that intervals find. A part of
   step/analysis/invariants.h.

   Ranges are kept by selector: for each location of a process instance, and for each length of a channel, those of the
   elements that belong to it (its members). So "level is 0 while the process is idle" is not lost when another process
   moves. */
#ifndef FLOE_FACTS_RANGES_H
#define FLOE_FACTS_RANGES_H

#include "core/stop.h"
#include "step/analysis/range_selectors.h"

/* Slots as `ranges` has them; what a selector's value tells of its members is heeded before statements run. */
void ranges_start(struct intervals *intervals, const struct ranges *ranges);
/* They are heeded again after statements that were run without (settled is NULL). */
void ranges_resume(struct intervals *intervals);
/* The transition's selects, its location tests, its guards: from slots as ranges_start left them. False: it is never
   enabled. */
bool ranges_enter(struct intervals *intervals, const struct transition *transition);
bool ranges_guards(struct intervals *intervals, const struct transition *transition);
/* Its statements; false: they always fail. */
bool ranges_run(struct intervals *intervals, const struct transition *transition);

/* The declared ranges of all elements, from `arena`. */
struct invariants_range *ranges_declared(const struct model *model, struct arena *arena);

/* All from `arena`, whose guard is active. Where `stop` says so nothing is known, but that values are in their declared
   ranges. */
const struct ranges *ranges_make(const struct model *model, const struct stop *stop, struct arena *arena);

#endif
