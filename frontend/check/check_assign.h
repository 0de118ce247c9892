/* Assignments, also those of what is received: the value that is stored, and its check. */
#ifndef FLOE_CHECK_ASSIGN_H
#define FLOE_CHECK_ASSIGN_H

#include "frontend/check/check_expr.h"

struct statement assignment(struct check *c, source_at at, const struct place *place, const struct expr *value);

#endif
