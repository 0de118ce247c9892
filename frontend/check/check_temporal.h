/* Temporal properties: from a syntax tree to a formula over ground expressions. */
#ifndef FLOE_FRONTEND_CHECK_CHECK_TEMPORAL_H
#define FLOE_FRONTEND_CHECK_CHECK_TEMPORAL_H

#include "frontend/expr/check.h"

/* `fairness`: its list, valid; may be NULL. NULL: errors are logged. *evaluations: an expression that evaluates all
   atoms that can fail; NULL: none can. */
const struct temporal *temporal_lower(struct check *c, const struct syntax_expr *e, const char *fairness,
                                      const struct expr **evaluations);

#endif
