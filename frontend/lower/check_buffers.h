/* Lowers sends to buffered channels and receives from them. */
#ifndef FLOE_FRONTEND_LOWER_CHECK_BUFFERS_H
#define FLOE_FRONTEND_LOWER_CHECK_BUFFERS_H

#include "frontend/lower/lowered_part.h"

void buffer_lower(struct check *c, struct process_edge *edge, uint32_t from);
/* The condition for the edge before a step, without location and priority. `chosen`: values of its selects; NULL: it
   has none. */
const struct expr *buffer_ready(struct check *c, struct process_edge *edge, const int64_t *chosen);

#endif
