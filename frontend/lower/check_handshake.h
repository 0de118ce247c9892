/* Lowers handshakes: the ground transitions of a sender on a channel without buffer. */
#ifndef FLOE_FRONTEND_LOWER_CHECK_HANDSHAKE_H
#define FLOE_FRONTEND_LOWER_CHECK_HANDSHAKE_H

#include "frontend/lower/lowered_part.h"

void handshake_lower(struct check *c, struct process_edge *sender, uint32_t from);

#endif
