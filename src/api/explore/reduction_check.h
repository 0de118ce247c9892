/* What a reduced model cannot be asked for. */
#ifndef FLOE_API_EXPLORE_REDUCTION_CHECK_H
#define FLOE_API_EXPLORE_REDUCTION_CHECK_H

#include "api/explore/exploration.h"

/* FLOE_ERROR_USAGE, logged: the model is reduced, and an option needs its real steps. */
floe_status reduction_check(const struct exploration *e);

#endif
