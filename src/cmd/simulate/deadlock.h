/* Deadlocks that a simulation reaches. */
#ifndef FLOE_CMD_SIMULATE_DEADLOCK_H
#define FLOE_CMD_SIMULATE_DEADLOCK_H

#include "floe.h"

/* If the state is a deadlock that the model does not excuse, *blocked lists the blocked transitions of every
   instance; otherwise *blocked is NULL. Returns FLOE_OK or FLOE_ERROR_MEMORY. */
floe_status deadlock_explain(const floe_model *model, floe_expansion *state, const floe_trace **blocked);

#endif
