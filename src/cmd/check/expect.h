/* floe check --expect: the model as its own regression test. */
#ifndef FLOE_CMD_CHECK_EXPECT_H
#define FLOE_CMD_CHECK_EXPECT_H

#include "cmd/console/options.h"
#include "cmd/session.h"

/* Explores the model for the constants of every <expect> element, compares the results, and prints a line per case.
   -D selects cases: a case runs if its constants (those it does not name have the model's values) agree with every -D.
   Returns the exit code. A mismatch takes precedence over an undecided case. Cases beyond --max-states are skipped; if
   all are skipped, the result is undecided. */
int run_expectations(struct session *session, const struct options *options);

#endif
