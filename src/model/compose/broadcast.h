/* Lowers broadcasts: one ground transition for each sender. */
#ifndef FLOE_MODEL_COMPOSE_BROADCAST_H
#define FLOE_MODEL_COMPOSE_BROADCAST_H

#include "model/compose/part.h"

void broadcast_lower(struct compose *c, struct instance_edge *sender, uint32_t from);

#endif
