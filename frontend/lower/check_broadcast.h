/* Lowers broadcasts: one ground transition for each sender. */
#ifndef FLOE_FRONTEND_LOWER_CHECK_BROADCAST_H
#define FLOE_FRONTEND_LOWER_CHECK_BROADCAST_H

#include "frontend/lower/lowered_part.h"

void broadcast_lower(struct check *c, struct process_edge *sender, uint32_t from);

#endif
