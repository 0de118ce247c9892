/* What is legal but hardly meant. */
#ifndef FLOE_CHECK_WARNINGS_H
#define FLOE_CHECK_WARNINGS_H

#include "frontend/check/check.h"

void warnings_log(struct check *c);

#endif
