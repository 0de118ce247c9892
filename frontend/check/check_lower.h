/* All ground transitions. */
#ifndef FLOE_FRONTEND_CHECK_CHECK_LOWER_H
#define FLOE_FRONTEND_CHECK_CHECK_LOWER_H

#include "frontend/check/check.h"

void transitions_lower(struct check *c);

#endif
