/* Defines: each use is replaced by the define's expression, with arguments instead of parameters. Each part is lowered
   in the scope where it was written, so no name is captured. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_DEFINE_H
#define FLOE_FRONTEND_EXPR_CHECK_DEFINE_H

#include "frontend/expr/check.h"

void defines_declare(struct check *c);
/* Checks each define by itself, including unused ones. */
void defines_check(struct check *c);

/* Lowers a use; `e` is a SYN_NAME or SYN_CALL. */
const struct expr *define_use(struct scope *s, const struct syntax_expr *e);
/* Functions (frontend/expr/check_function.c): the arguments are values. A call becomes an expression. */
const struct expr *function_call(struct scope *s, const struct syntax_expr *e, struct define *function);
/* Checks the names in a function; sets function->bad. */
void function_check(struct check *c, struct define *function);
bool define_has_argument(const struct scope *s, const char *name);
const struct expr *define_argument(struct scope *s, const struct syntax_expr *e);

#endif
