/* What follows the run of an exploration: summary.c, traces.c, never.c. */
#ifndef FLOE_EXPLORE_H
#define FLOE_EXPLORE_H

#include "api/exploration.h"

/* In the arena guard of e->result->arena: */
void summary_make(struct exploration *e);
void verdicts_make(struct exploration *e);

/* Adds traces and causes to the verdicts. Where there can be none (memory, time, interrupt) the log
   has a warning. FLOE_ERROR_INTERNAL: a trace that does not replay. */
floe_status traces_make(struct exploration *e);

/* Why transitions never fired, where the options ask for it. */
floe_status nevers_make(struct exploration *e);

#endif
