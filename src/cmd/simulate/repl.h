/* floe simulate --interactive: commands, one a line, from standard input. */
#ifndef FLOE_CMD_DIALOGUE_H
#define FLOE_CMD_DIALOGUE_H

#include "cmd/simulate/simulation.h"

/* Until `q` or the end of the input. What stands on a line that is no command is told and no harm. */
floe_status dialogue(struct simulation *simulation);

#endif
