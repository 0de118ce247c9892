/* guard="else": what an instance does where none of its other transitions can be taken. */
#ifndef FLOE_CHECK_ELSE_H
#define FLOE_CHECK_ELSE_H

#include "frontend/check/lowered_part.h"

/* Refuses those that depend on what other instances do, once the edges are resolved. */
void else_check(struct check *c, const struct template *process);
/* Adds the guards of such a move to the draft. */
void else_test(struct check *c, const struct move *move, uint32_t from);

#endif
