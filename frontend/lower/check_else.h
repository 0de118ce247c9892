/* guard="else": enabled if none of the other transitions of the instance is enabled. */
#ifndef FLOE_FRONTEND_LOWER_CHECK_ELSE_H
#define FLOE_FRONTEND_LOWER_CHECK_ELSE_H

#include "frontend/lower/lowered_part.h"

/* Reports `else` guards that depend on other instances; after edges are resolved. */
void else_check(struct check *c, const struct template *process);
/* Adds the guards of such an edge to the transition builder. */
void else_test(struct check *c, const struct process_edge *edge, uint32_t from);

#endif
