/* Statements of an effect: loops are unrolled, and branches that constants rule out are omitted. */
#ifndef FLOE_FRONTEND_LOWER_CHECK_EFFECT_H
#define FLOE_FRONTEND_LOWER_CHECK_EFFECT_H

#include "frontend/expr/check_expr.h"

bool effect_lower(struct scope *s, const struct syntax_statement *list, size_t n, struct statements *out);

#endif
