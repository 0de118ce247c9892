/* Lowers broadcasts: one ground transition for each sender. */
#ifndef FLOE_FRONTEND_CHECK_CHECK_BROADCAST_H
#define FLOE_FRONTEND_CHECK_CHECK_BROADCAST_H

#include "frontend/check/lowered_part.h"

void broadcast_lower(struct check *c, struct process_edge *sender, uint32_t from);

#endif
