/* `for` and `select` as the statements that Spin makes of them, with Spin's numbers; scopes of declarations. */
#ifndef FLOE_FRONTEND_PROMELA_LOOPS_H
#define FLOE_FRONTEND_PROMELA_LOOPS_H

#include "frontend/promela/parse/promela_parser.h"

/* Where names are looked up: these declarations, then those outside. As in Spin, braces limit a declaration, but an
   option does not. Of two options that declare a name, each sees its own. */
struct pr_scope {
  const struct pr_variable **variables;
  size_t n, cap;
  const struct pr_scope *outer;
};

/* NULL: there is none. */
const struct pr_variable *pr_declared(const struct pr_scope *scope, uint32_t name);

/* What statements are made for, and memory for them. */
struct pr_making {
  const struct pr_model *model;
  const struct pr_proctype *process;
  struct arena *arena;
};

/* `s` is PR_S_FOR, PR_S_FOR_EACH or PR_S_SELECT. */
const struct pr_statements *pr_written_out(const struct pr_making *m, const struct pr_statement *s,
                                           const struct pr_scope *scope);

/* A statement of this kind in place of `from`. */
struct pr_statement pr_simple(enum pr_statement_kind kind, const struct pr_statement *from,
                              const struct pr_expr *target, const struct pr_expr *value);
const struct pr_expr *pr_number(struct arena *arena, const struct pr_statement *s, int64_t value);

/* Spin executes the `select` as a choice, without a loop. */
bool pr_is_choice(const struct pr_model *model, const struct pr_statement *s);

#endif
