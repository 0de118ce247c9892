/* What follows the run of an exploration: summary.c, trace_search.c, unfired_report.c. */
#ifndef FLOE_EXPLORE_H
#define FLOE_EXPLORE_H

#include "api/explore/exploration.h"

/* The whole, of an exploration that is zeros but for owner, given, log, and from if it goes on; *out on success. */
floe_status explore_run(struct exploration *e, floe_result **out);

/* In the arena guard of e->result->arena: */
void summary_make(struct exploration *e);
void verdicts_make(struct exploration *e);

/* Adds traces and causes to the verdicts. Where there can be none (memory, time, interrupt) the log
   has a warning. FLOE_ERROR_INTERNAL: a trace that does not replay. */
floe_status traces_make(struct exploration *e);

/* Why transitions never fired, where the options ask for it. */
floe_status unfired_report_make(struct exploration *e);

#endif
