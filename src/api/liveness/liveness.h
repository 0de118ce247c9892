/* Verdicts on temporal properties, after the search of the model: for each property the product of the model and the
   automaton of its negation is explored on the CPU, and its states are searched for an accepting cycle. One is a
   violation; a second search of the product finds a shortest path to it. */
#ifndef FLOE_API_LIVENESS_LIVENESS_H
#define FLOE_API_LIVENESS_LIVENESS_H

#include "api/explore/exploration.h"

/* Refuses options that exclude e->temporal_mask, and properties with too large an automaton, before anything is
   searched. In the arena guard of e->result->arena. FLOE_ERROR_USAGE, FLOE_ERROR_UNSUPPORTED: logged. */
floe_status liveness_check(const struct exploration *e);

/* Sets the verdicts of e->temporal_mask, with traces. An unfinished search leaves them undecided. */
floe_status liveness_decide(struct exploration *e);

#endif
