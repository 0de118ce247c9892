/* floe check --sweep: one table over several values of constants. */
#ifndef FLOE_CMD_CHECK_SWEEP_H
#define FLOE_CMD_CHECK_SWEEP_H

#include "cmd/console/options.h"
#include "cmd/session.h"

/* Explores the model for every value of the --sweep options (several constants: every combination, the first varying
   slowest) and prints a row each. --timeout and --memory apply to each row. Returns the exit code of the worst row. */
int run_sweep(struct session *session, const struct options *options);

#endif
