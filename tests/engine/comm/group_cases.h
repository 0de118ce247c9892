/* Test cases for the contract of every transport (engine/comm/group.h), run by all members together. A member that
   detects a violation reports it and aborts the group with exit code 1. */
#ifndef FLOE_TEST_GROUP_CASES_H
#define FLOE_TEST_GROUP_CASES_H

#include "engine/comm/group.h"

/* Runs all cases with 2 to 64 members, then closes the group. `scale` multiplies the amounts; 1 for a quick run. */
void group_cases_run(struct group *group, unsigned scale);
/* The same with members in threads, counts[i] in process i of `below`, which stays open. `epoch`: of
   group_nested_make. */
void group_cases_run_nested(struct group *below, uint32_t epoch, const unsigned *counts, unsigned scale);

#endif
