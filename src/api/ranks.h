/* One exploration by several processes (an MPI job's): rank 0 explores as ever, and each search of its that they share
   it tells the others, who follow: they parse the same model, search their part, and answer until rank 0 leaves. */
#ifndef FLOE_RANKS_H
#define FLOE_RANKS_H

#include "api/exploration.h"

/* Of this process, once floe_ranks_join found others; NULL: it is alone. */
struct post *ranks_post(void);
/* Processes of the job that share this machine, and so its memory and, where they are bound to none, its processors. */
unsigned ranks_here(void);
/* FLOE_ERROR_USAGE, told: several processes do not do what is asked for. */
floe_status ranks_allow(const struct exploration *e);
/* engine_run, by all ranks where there are several. Errors of another rank are told as its. */
floe_status ranks_run(struct exploration *e, const struct engine *engine, const struct engine_task *task,
                      struct engine_outcome *out);

#endif
