/* All ground transitions. */
#ifndef FLOE_CHECK_LOWER_H
#define FLOE_CHECK_LOWER_H

#include "frontend/check/check.h"

void transitions_lower(struct check *c);

#endif
