/* The preprocessor: macros, conditions, included files, inlines. Its own and not the program cpp, as model files are
   not trusted and messages need their positions. */
#ifndef FLOE_FRONTEND_PROMELA_PREPROCESS_H
#define FLOE_FRONTEND_PROMELA_PREPROCESS_H

#include "core/name_table.h"
#include "frontend/promela/parse/promela_lexer.h"
#include "model/language.h"

/* A macro that -D defines: a #define of its name is skipped. */
struct pr_given {
  const char *name;
  int64_t value;
};
struct pr_givens {
  const struct pr_given *items;
  size_t n;
};

struct pr_text {
  struct pr_tokens tokens;
  struct name_table constants;  /* macros whose text is one number */
  struct name_table parameters; /* names that conditions (#if, #ifdef, #ifndef) ask for; macros with several texts */
  bool overridden;              /* the text defines or undefines a macro that -D has defined */
  struct pr_included {
    source_at at;
    const struct source *source;
  } * included; /* [included_count] files, by the places of their directives */
  size_t included_count, included_cap;
};

/* All tokens of a file without directives; calls of macros and inlines are replaced by their texts, calls of inlines in
   braces. Tokens of a macro have the place of its outermost call, those of an inline their own. A token of a macro
   whose text is one number has the number of this constant, unless a condition asks for it. FLOE_ERROR_MODEL: errors
   were logged. */
floe_status pr_preprocess(const struct source *source, struct includer *includer, const struct pr_givens *givens,
                          struct arena *arena, floe_log *log, struct pr_text *out);

#endif
