/* The ground transition of a sender of a broadcast. */
#ifndef FLOE_CHECK_BROADCAST_H
#define FLOE_CHECK_BROADCAST_H

#include "frontend/check/lowered_part.h"

void broadcast_lower(struct check *c, struct move *sender, uint32_t from);

#endif
