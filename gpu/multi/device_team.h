/* The GPUs of this process, each a member of one group (gpu/multi/member.h) with a thread of its own. The group may
   have members in other processes, too (task->group.member_counts). */
#ifndef FLOE_GPU_MULTI_DEVICE_TEAM_H
#define FLOE_GPU_MULTI_DEVICE_TEAM_H

#include "engine/engine.h"

struct device_team;

/* For task->devices.gpus, all opened. `task` and what it refers to must live as long, except for options, which
   device_team_prepare reads. Begins to choose the owner mask in the background. */
floe_status device_team_create(const struct engine_task *task, floe_log *log, struct device_team **out);
/* As prepare and explore of an engine: once each. The outcome has the sums over all GPUs. */
floe_status device_team_prepare(struct device_team *all);
floe_status device_team_explore(struct device_team *all, struct engine_outcome *out);
void device_team_drop(struct device_team *all); /* NULL is allowed */

#endif
