/* Quantifiers, unrolled over their constant range. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_QUANTIFY_H
#define FLOE_FRONTEND_EXPR_CHECK_QUANTIFY_H

#include "frontend/expr/check.h"

/* The quantifier `e` over lo..hi. */
const struct expr *quantify(struct scope *s, const struct syntax_expr *e, int64_t lo, int64_t hi);

#endif
