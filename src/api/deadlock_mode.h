/* Which states are deadlocks, as the caller decides (floe_deadlocks). Like a constant that was given on the command
   line it is part of the model: what lists constants lists it, and checkpoints, traces and MPI jobs keep it. */
#ifndef FLOE_API_DEADLOCK_MODE_H
#define FLOE_API_DEADLOCK_MODE_H

#include "api/api.h"

#define DEADLOCK_MODE "deadlock-mode" /* name of the constant; no language has names with '-' */

/* The value of the constant as a number. FLOE_ERROR_MODEL, logged: it is none. */
floe_status deadlock_mode_read(const char *value, floe_log *log, floe_deadlocks *out);

/* The model with these deadlocks. */
const struct model *deadlock_mode_set(const struct model *model, floe_deadlocks deadlocks, struct arena *arena);

#endif
