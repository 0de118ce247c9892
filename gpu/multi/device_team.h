/* Several devices of this process, each a member of one group (gpu/multi/member.c) with a thread of its own. Of a group that
   has members in other processes, too (task->group.member_counts), they are some. */
#ifndef FLOE_GPU_SEVERAL_H
#define FLOE_GPU_SEVERAL_H

#include "engine/engine.h"

struct device_team;

/* For task->devices.gpus, all open. task and what it refers to must live as long, but for options, which are read by
   device_team_prepare. Begins to find out whose states are whose, beside what the caller does next. */
floe_status device_team_create(const struct engine_task *task, floe_log *log, struct device_team **out);
/* As prepare and explore of an engine: once each. The outcome has the sums of all. */
floe_status device_team_prepare(struct device_team *all);
floe_status device_team_explore(struct device_team *all, struct engine_outcome *out);
void device_team_drop(struct device_team *all); /* NULL is allowed */

#endif
