/* The ground transitions of a send to a buffered channel, or of a receive from one. */
#ifndef FLOE_CHECK_BUFFERS_H
#define FLOE_CHECK_BUFFERS_H

#include "frontend/check/lowered_part.h"

void buffer_lower(struct check *c, struct move *move, uint32_t from);
/* What it tests before a step, location and priority aside, with the select names bound to `chosen` if that is not
   NULL: the move has selects then. */
const struct expr *buffer_ready(struct check *c, struct move *move, const int64_t *chosen);

#endif
