/* Translation of a syntax tree into the ground model. */
#ifndef FLOE_FRONTEND_CHECK_CHECKER_H
#define FLOE_FRONTEND_CHECK_CHECKER_H

#include "frontend/parse/syntax.h"
#include "model/language.h"

struct check;

/* Checks `syntax` for the given constants and lowers it. All memory from `arena`; `syntax` must outlive the result.
   Warnings are logged only if there is no error. */
floe_status model_check(const struct syntax_model *syntax, const struct definition *definitions,
                        size_t definition_count, struct arena *arena, floe_log *log, const struct model **out);

/* Steps up to the state variables, after which expressions over the state can be lowered. The caller sets
   build.arena, whose guard is active, build.log, build.source, syntax and the definitions. */
void declarations_check(struct check *c);

#endif
