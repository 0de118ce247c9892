/* Assignments, including those of received values: the stored value and its range check. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_ASSIGN_H
#define FLOE_FRONTEND_EXPR_CHECK_ASSIGN_H

#include "frontend/expr/check_place.h"

struct statement assignment(struct check *c, source_at at, const struct place *place, const struct expr *value);

#endif
