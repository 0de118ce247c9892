/* Binary operators; reports operands for which they always fail. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_OPERATORS_H
#define FLOE_FRONTEND_EXPR_CHECK_OPERATORS_H

#include "frontend/expr/check.h"

/* Ground expression of `e`, an arithmetic, comparison or bitwise operator, over its operands (NULL: error). */
const struct expr *operator_build(const struct scope *s, const struct syntax_expr *e, const struct expr *a,
                                  const struct expr *b);

#endif
