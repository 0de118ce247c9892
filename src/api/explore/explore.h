/* Steps of an exploration: summary.c, trace_search.c, liveness.c, unfired_report.c. */
#ifndef FLOE_API_EXPLORE_EXPLORE_H
#define FLOE_API_EXPLORE_EXPLORE_H

#include "api/explore/exploration.h"

/* Runs an exploration from options to result. `e` is zeros but for api_model, given_options, log, and, for a resumed
   search, checkpoint.from. *out is set on success. */
floe_status explore_run(struct exploration *e, floe_result **out);

/* Parts of explore_run, for explorations within one: what `e` has is as there. explore_close after explore_open, with
   any later result. */
floe_status explore_open(struct exploration *e);
floe_status explore_search(struct exploration *e); /* sets the outcome */
floe_status explore_paths(struct exploration *e);  /* also outcome.paths, if they are found */
void explore_close(struct exploration *e);

/* In the arena guard of e->result->arena: */
void summary_make(struct exploration *e);
void verdicts_make(struct exploration *e);

/* Adds traces and causes to the verdicts. If a trace cannot be found (memory, time, interrupt), a warning is logged.
   FLOE_ERROR_INTERNAL: a trace does not replay. */
floe_status traces_make(struct exploration *e);
/* Of e->whole, which traces_make or liveness_decide has made. NULL: nothing. */
void whole_model_free(struct whole_model *whole);

/* Temporal properties (api/liveness/liveness.c). liveness_check, in the arena guard of e->result->arena, refuses
   options that exclude e->temporal_mask, and properties with too large an automaton, before anything is searched:
   FLOE_ERROR_USAGE, FLOE_ERROR_UNSUPPORTED, logged. liveness_decide sets their verdicts, with traces; an unfinished
   search leaves them undecided. */
extern uint64_t liveness_first_attempt; /* engine_task.first_attempt; tests change it */
extern uint64_t liveness_first_round;   /* states of a product that is explored first; tests change it */
floe_status liveness_check(const struct exploration *e);
floe_status liveness_decide(struct exploration *e);

/* Finds why transitions never fired, if the options request it. */
floe_status unfired_report_make(struct exploration *e);

#endif
