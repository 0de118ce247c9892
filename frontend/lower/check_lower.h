/* All ground transitions. */
#ifndef FLOE_FRONTEND_LOWER_CHECK_LOWER_H
#define FLOE_FRONTEND_LOWER_CHECK_LOWER_H

#include "frontend/expr/check.h"

void transitions_lower(struct check *c);

#endif
