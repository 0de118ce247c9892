/* Hints for constructs of other languages: operators of temporal logics and other checkers, mathematical signs, words
   in capitals. */
#ifndef FLOE_FRONTEND_PARSE_OTHER_LANGUAGE_HINTS_H
#define FLOE_FRONTEND_PARSE_OTHER_LANGUAGE_HINTS_H

#include "core/arena.h"
#include "frontend/parse/lexer.h"

/* Hint for an error: `found` stands in `text`; `expected` is the message's text of what could stand there. NULL: no
   similar construct is known. */
const char *other_language_hint(struct arena *arena, const struct located_text *text, const struct token *found,
                                const char *expected);

/* Hint for an unknown name that is a reserved word except for its case, like TRUE, or belongs to another language;
   NULL: none. */
const char *reserved_word_hint(struct arena *arena, const char *name);

/* Hint for an unknown name before '('; NULL: none. */
const char *other_language_call_hint(const char *name);

/* Hint for a kind of property of temporal logic; NULL: it is none. */
const char *temporal_kind_hint(const char *kind);

/* The one of `count` candidates (elements or attributes of floe) that corresponds to `name` in another language; NULL:
   none. */
const char *other_language_part_hint(const char *name, const char *const *candidates, size_t count);

#endif
