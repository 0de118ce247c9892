/* The ground transitions of a sender whose channel has no buffer. */
#ifndef FLOE_CHECK_PAIRS_H
#define FLOE_CHECK_PAIRS_H

#include "frontend/check/lowered_part.h"

void pairs_lower(struct check *c, struct move *sender, uint32_t from);

#endif
