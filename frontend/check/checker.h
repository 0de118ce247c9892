/* From a syntax tree to the ground model. */
#ifndef FLOE_CHECKER_H
#define FLOE_CHECKER_H

#include "frontend/parse/syntax.h"
#include "model/language.h"

/* Checks `syntax` for the given constants and lowers it. All memory from `arena`; `syntax` must outlive it.
   Warnings are logged once there is no error. */
floe_status model_check(const struct syntax_model *syntax, const struct definition *definitions,
                        size_t definition_count, struct arena *arena, floe_log *log, const struct model **out);

#endif
