/* Deadlocks in which a walk stands. */
#ifndef FLOE_CMD_DEADLOCK_H
#define FLOE_CMD_DEADLOCK_H

#include "floe.h"

/* What every instance waits for where the present state is a deadlock that nothing excuses; *waits is NULL elsewhere.
   FLOE_ERROR_MEMORY: there is none for it. */
floe_status deadlock_waits(const floe_model *model, floe_simulator *simulator, const floe_trace **waits);

#endif
