/* Properties, and expected results, which must refer to existing properties and constants. */
#ifndef FLOE_FRONTEND_CHECK_CHECK_PROPERTIES_H
#define FLOE_FRONTEND_CHECK_CHECK_PROPERTIES_H

#include "frontend/expr/check.h"

void properties_lower(struct check *c);
void expects_check(struct check *c);

#endif
