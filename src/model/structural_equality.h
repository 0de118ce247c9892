/* Structural equality of expressions and statements: equal ones generate the same code. Source places are ignored. */
#ifndef FLOE_MODEL_STRUCTURAL_EQUALITY_H
#define FLOE_MODEL_STRUCTURAL_EQUALITY_H

#include "model/model.h"

bool same_expr(const struct expr *a, const struct expr *b); /* both may be NULL */
bool same_statement(const struct statement *a, const struct statement *b);

#endif
