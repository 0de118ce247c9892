/* Name tables: declarations, lookup, suggestions for misspelt names. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_NAMES_H
#define FLOE_FRONTEND_EXPR_CHECK_NAMES_H

#include "frontend/expr/check.h"

bool names_declare_globals(struct check *c);
void names_declare_locals(struct check *c, struct template *process);
const struct symbol *names_find(const struct symbols *symbols, const char *name);
const struct symbol *scope_find(const struct scope *s, const char *name);
/* The value bound to a name; an arbitrary value for a parameter of the current define. */
const struct expr *scope_binding(const struct scope *s, const char *name);
/* Warns that a name bound in the scope hides another one. */
void scope_warn_hidden(const struct scope *s, const char *name, source_at at);
/* Number of the parameter of the current define; NONE: no parameter has this name. */
uint32_t scope_parameter(const struct scope *s, const char *name);
const char *symbol_kind_name(enum symbol_kind kind);
/* "did you mean 'x'?" for a symbol of these kinds in scope (bindings count as values), or NULL. */
const char *scope_suggestion(const struct scope *s, const char *name, unsigned kinds);
const char *suggestion_text(struct check *c, const char *nearest);
/* True at the first call for this place: a construct that is unrolled many times is warned about once. */
bool first_warning(struct check *c, source_at at);
/* "line 5", with the name of the file if `here` is in another one: for a message at `here`. */
const char *source_line(const struct check *c, source_at here, source_at at);

#endif
