/* Defines: where one is used stands its expression, with the arguments in place of the parameters. Each is lowered
   where it is evaluated, in the scope that it was written in, so no name is captured. */
#ifndef FLOE_CHECK_DEFINE_H
#define FLOE_CHECK_DEFINE_H

#include "frontend/check/check.h"

typedef const struct expr *define_lower(struct scope *s, const struct syntax_expr *e);

void defines_declare(struct check *c);
/* Each by itself, also those that nothing uses. */
void defines_check(struct check *c, define_lower *lower);

/* `e` is a SYN_NAME or SYN_CALL. */
const struct expr *define_use(struct scope *s, const struct syntax_expr *e, define_lower *lower);
bool define_has_argument(const struct scope *s, const char *name);
const struct expr *define_argument(struct scope *s, const struct syntax_expr *e, define_lower *lower);

#endif
