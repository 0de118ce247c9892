/* The ground transitions of a send to a buffered channel, or of a receive from one. */
#ifndef FLOE_CHECK_BUFFERS_H
#define FLOE_CHECK_BUFFERS_H

#include "frontend/check_part.h"

void buffer_lower(struct check *c, struct move *move, uint32_t from);

#endif
