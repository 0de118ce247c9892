/* The preprocessor: macros, conditions, included files, inlines. Its own and not the program cpp, as model files are
   not trusted and messages need their positions. */
#ifndef FLOE_FRONTEND_PROMELA_PREPROCESS_H
#define FLOE_FRONTEND_PROMELA_PREPROCESS_H

#include "core/name_table.h"
#include "frontend/promela/parse/promela_lexer.h"
#include "model/language.h"

struct pr_tokens {
  struct pr_token *items; /* the last one is PR_END */
  size_t n, cap;
};

/* Macros whose text is one number: constants that -D may define. */
struct pr_constants {
  const char **names;
  size_t n, cap;
};

/* All tokens of a file without directives; calls of macros and inlines are replaced by their texts, calls of inlines in
   braces. Tokens of a macro have the place of its outermost call, those of an inline their own. A token of a macro
   whose text is one number has the number of this constant, unless a condition (#if) depends on it. FLOE_ERROR_MODEL:
   errors were logged. */
floe_status pr_preprocess(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                          struct pr_tokens *out, struct pr_constants *constants);

#endif
