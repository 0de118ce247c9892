/* Several devices of this process, each a member of one group (gpu/multi/member.c) with a thread of its own. Of a group that
   has members in other processes, too (task->member_counts), they are some. */
#ifndef FLOE_GPU_SEVERAL_H
#define FLOE_GPU_SEVERAL_H

#include "engine/engine.h"

struct several;

/* For task->devices, all open. task and what it refers to must live as long, but for options, which are read by
   several_prepare. Begins to find out whose states are whose, beside what the caller does next. */
floe_status several_create(const struct engine_task *task, floe_log *log, struct several **out);
/* As prepare and explore of an engine: once each. The outcome has the sums of all. */
floe_status several_prepare(struct several *all);
floe_status several_explore(struct several *all, struct engine_outcome *out);
void several_drop(struct several *all); /* NULL is allowed */

#endif
