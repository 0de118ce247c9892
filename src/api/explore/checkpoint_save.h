/* Checkpoints of an exploration, and what one says of the run that wrote it. */
#ifndef FLOE_KEEP_H
#define FLOE_KEEP_H

#include "api/explore/exploration.h"

/* In the arena guard of e->result->arena, once the options are resolved: e->keeping. FLOE_ERROR_USAGE: a file cannot
   hold such states. */
floe_status keep_begin(struct exploration *e);

#endif
