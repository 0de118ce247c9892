/* floe check --sweep: one table over the values of constants. */
#ifndef FLOE_CMD_SWEEP_H
#define FLOE_CMD_SWEEP_H

#include "cmd/options.h"
#include "cmd/session.h"

/* Explores the model for every value that the --sweep options list (of several constants: every
   combination, the first varying slowest), a row each. --timeout and --memory hold for each row.
   Returns the exit code of the worst row. */
int run_sweep(struct session *session, const struct options *options);

#endif
