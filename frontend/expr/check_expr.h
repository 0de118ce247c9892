/* Lowering of expressions: names and operators become reads of elements and ground operators. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_EXPR_H
#define FLOE_FRONTEND_EXPR_CHECK_EXPR_H

#include "frontend/expr/check_enumerations.h"

const struct expr *lower(struct scope *s, const struct syntax_expr *e);
const struct expr *lower_dead(struct scope *s, const struct syntax_expr *e, bool dead);
/* The channel of NAME or INDEX of NAME; *element is range-checked. */
bool lower_channel(struct scope *s, const struct syntax_expr *e, uint32_t *channel, const struct expr **element);
const struct symbol *find_channel(const struct scope *s, const struct syntax_expr *e);

/* A constant within lo..hi; `what` names it in the error. */
bool constant_within(const struct scope *s, const struct syntax_expr *e, const char *what, int64_t lo, int64_t hi,
                     int64_t *value);

#endif
