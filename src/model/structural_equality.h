/* Structural equality of expressions and statements: equal if they generate the same code. Source places are ignored.
 */
#ifndef FLOE_SAME_H
#define FLOE_SAME_H

#include "model/model.h"

bool same_expr(const struct expr *a, const struct expr *b); /* both may be NULL */
bool same_statement(const struct statement *a, const struct statement *b);

#endif
