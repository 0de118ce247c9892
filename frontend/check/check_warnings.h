/* Warnings about legal but probably unintended constructs. */
#ifndef FLOE_FRONTEND_CHECK_CHECK_WARNINGS_H
#define FLOE_FRONTEND_CHECK_CHECK_WARNINGS_H

#include "frontend/expr/check.h"

void warnings_log(struct check *c);

#endif
