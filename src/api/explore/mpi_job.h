/* One exploration by several processes (an MPI job's): rank 0 explores as ever, and each search of its that they share
   it tells the others, who follow: they parse the same model, search their part, and answer until rank 0 leaves. */
#ifndef FLOE_RANKS_H
#define FLOE_RANKS_H

#include "api/explore/exploration.h"

/* FLOE_ERROR_USAGE, told: several processes do not do what is asked for. */
floe_status ranks_allow(const struct exploration *e);
/* engine_run, by all ranks where there are several. Errors of another rank are told as its. */
floe_status ranks_run(struct exploration *e, const struct engine *engine, const struct engine_task *task, floe_log *log,
                      struct engine_outcome *out);

#endif
