/* Head of the checkpoints that an exploration writes: model, constants, options. */
#ifndef FLOE_API_EXPLORE_CHECKPOINT_SAVE_H
#define FLOE_API_EXPLORE_CHECKPOINT_SAVE_H

#include "api/explore/exploration.h"

/* Sets e->checkpoint.policy, if the options name a file. After the options are resolved, in the arena guard of
   e->result->arena. FLOE_ERROR_USAGE, logged: the states are too wide for the format. */
floe_status checkpoint_save_init(struct exploration *e);

#endif
