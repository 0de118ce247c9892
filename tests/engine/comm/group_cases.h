/* What every kind of group promises (engine/comm/group.h), as cases that all members run together; a member that sees a
   promise broken says so and aborts the group with exit code 1. */
#ifndef FLOE_TEST_GROUP_CASES_H
#define FLOE_TEST_GROUP_CASES_H

#include "engine/comm/group.h"

/* All cases, of 2 to 64 members; then the group is closed. `scale`: by which amounts are multiplied, 1 for a quick run.
 */
void group_cases_run(struct group *group, unsigned scale);
/* The same of members in threads, counts[i] in process i of `below`, which stays open. `epoch`: group_nested_make's. */
void group_cases_run_nested(struct group *below, uint32_t epoch, const unsigned *counts, unsigned scale);

#endif
