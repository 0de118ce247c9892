/* enabled(X) and taken(X): sets of transitions, named by instances of processes and by labels. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_FIRINGS_H
#define FLOE_FRONTEND_EXPR_CHECK_FIRINGS_H

#include "frontend/expr/check.h"

/* The set that the operand of `e` names: P, P[i], LABEL, P.LABEL or P[i].LABEL. False: an error was reported. In a part
   that is only checked the set need not exist. */
bool firings_set(struct scope *s, const struct syntax_expr *e, struct transition_set *out);
const struct expr *firings_enabled(struct scope *s, const struct syntax_expr *e);
/* Gives the sets of all enabled(X) their transitions. Call when these are complete. */
void firings_complete(struct check *c);

#endif
