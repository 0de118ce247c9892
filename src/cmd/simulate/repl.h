/* floe simulate --interactive: a read-evaluate-print loop, one command per line of standard input. */
#ifndef FLOE_CMD_SIMULATE_REPL_H
#define FLOE_CMD_SIMULATE_REPL_H

#include "cmd/simulate/simulation.h"

/* Runs until `q` or the end of the input. An unknown command is reported and has no effect. */
floe_status repl_run(struct simulation *simulation);

#endif
