/* Operators of two operands: what is always wrong in them is told when the model is checked. */
#ifndef FLOE_CHECK_OPERATORS_H
#define FLOE_CHECK_OPERATORS_H

#include "frontend/check/check.h"

/* The ground expression of `e`, arithmetic, comparison or an operator on bits, over its operands (NULL: wrong). */
const struct expr *operator_build(const struct scope *s, const struct syntax_expr *e, const struct expr *a,
                                  const struct expr *b);

#endif
