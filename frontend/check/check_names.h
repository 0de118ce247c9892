/* Name tables: who may be called what, and what a mistyped name was meant to be. */
#ifndef FLOE_CHECK_NAMES_H
#define FLOE_CHECK_NAMES_H

#include "frontend/check/check.h"

bool names_declare_globals(struct check *c);
void names_declare_locals(struct check *c, struct template *process);
const struct symbol *names_find(const struct symbols *symbols, const char *name);
const struct symbol *scope_find(const struct scope *s, const char *name);
/* The value; some value for a parameter of the define that the scope is in. */
const struct expr *scope_binding(const struct scope *s, const char *name);
/* Warns where a name that is bound in the scope hides another. */
void scope_warn_hidden(const struct scope *s, const char *name, source_at at);
/* Number of the parameter, of the define that the scope is in; NONE: it has none of this name. */
uint32_t scope_parameter(const struct scope *s, const char *name);
const char *symbol_kind_name(enum symbol_kind kind);
/* "did you mean 'x'?" among the symbols of these kinds that the scope sees (bindings count as
 * values), or NULL. */
const char *scope_suggestion(const struct scope *s, const char *name, unsigned kinds);
const char *suggestion_text(struct check *c, const char *nearest);
/* The first call for this place: what is written out many times is warned of once. */
bool first_warning(struct check *c, source_at at);
unsigned source_line(const struct check *c, source_at at);

#endif
