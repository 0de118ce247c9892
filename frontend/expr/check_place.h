/* Places: variables, parts of them, and variables of processes, as they are written in expressions and targets. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_PLACE_H
#define FLOE_FRONTEND_EXPR_CHECK_PLACE_H

#include "frontend/expr/check.h"

/* Reports a name without a declaration. */
void unknown_name(const struct scope *s, const char *name, source_at at);
const struct symbol *find_process(const struct scope *s, const char *name, source_at at);
/* `e` is NAME, INDEX or FIELD in all that follows. */
const struct expr *place_read(struct scope *s, const struct syntax_expr *e);
bool place_target(struct scope *s, const struct syntax_expr *e, struct place *place);
/* Notes that a target is assigned, before it is lowered. Reports nothing. */
void place_mark_assigned(struct check *c, const struct template *process, const struct syntax_expr *target);

#endif
