/* Values of the conditions of #if and #elif. */
#ifndef FLOE_FRONTEND_PROMELA_CONDITION_H
#define FLOE_FRONTEND_PROMELA_CONDITION_H

#include "frontend/promela/parse/promela_lexer.h"
#include "model/language.h"

#define PR_MAX_NESTING 64 /* of calls of macros and inlines, of conditions */

/* Whether the condition at `at` holds: `line` is its text, in which macros and `defined` are replaced. False: an error
   was logged, with a place in the list of sources that begins with `source`. */
bool pr_condition(const struct source *source, floe_log *log, const struct pr_tokens *line, source_at at, bool *out);

#endif
