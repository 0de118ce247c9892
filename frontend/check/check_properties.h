/* Properties, and whether expected results speak of things that exist. */
#ifndef FLOE_CHECK_PROPERTIES_H
#define FLOE_CHECK_PROPERTIES_H

#include "frontend/check/check.h"

void properties_lower(struct check *c);
void expects_check(struct check *c);

#endif
