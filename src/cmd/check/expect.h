/* floe check --expect: the model as its own regression test. */
#ifndef FLOE_CMD_EXPECT_H
#define FLOE_CMD_EXPECT_H

#include "cmd/options.h"
#include "cmd/session.h"

/* Explores the model for the constants of every <expect> element and compares, a line each. -D
   selects: a case is run when its constants, those it does not name having the model's own values,
   agree with every -D. Returns the exit code: a mismatch wins over a case that was not decided;
   cases beyond --max-states are skipped, which is no success when all were. */
int run_expectations(struct session *session, const struct options *options);

#endif
