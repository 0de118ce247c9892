/* Lowers handshakes: the ground transitions of a sender on a channel without buffer. */
#ifndef FLOE_MODEL_COMPOSE_HANDSHAKE_H
#define FLOE_MODEL_COMPOSE_HANDSHAKE_H

#include "model/compose/part.h"

void handshake_lower(struct compose *c, struct instance_edge *sender, uint32_t from);

#endif
