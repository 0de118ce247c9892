/* Lowers sends to buffered channels and receives from them. */
#ifndef FLOE_MODEL_COMPOSE_BUFFER_H
#define FLOE_MODEL_COMPOSE_BUFFER_H

#include "model/compose/part.h"

void buffer_lower(struct compose *c, struct instance_edge *edge, uint32_t from);
/* The condition for the edge before a step, without location and priority. `chosen`: values of its selects; NULL: it
   has none. */
const struct expr *buffer_ready(struct compose *c, struct instance_edge *edge, const int64_t *chosen);

#endif
