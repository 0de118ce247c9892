/* guard="else": errors and warnings. model/compose/else.h adds its guards. */
#ifndef FLOE_FRONTEND_LOWER_CHECK_ELSE_H
#define FLOE_FRONTEND_LOWER_CHECK_ELSE_H

#include "frontend/expr/check.h"

/* Reports `else` guards that depend on other instances; after edges are resolved. */
void else_check(struct check *c, const struct template *process);

#endif
