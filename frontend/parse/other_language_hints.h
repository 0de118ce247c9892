/* Hints for what people type who know another language: the operators of logics and of other checkers, signs of
   mathematics, words in capitals. */
#ifndef FLOE_FOREIGN_H
#define FLOE_FOREIGN_H

#include "core/arena.h"
#include "frontend/parse/lexer.h"

/* What to write instead where `found` stands in `text` and `wanted` (the words of a message) could stand; NULL: nothing
   known resembles it. */
const char *foreign_hint(struct arena *arena, const struct located_text *text, const struct token *found,
                         const char *wanted);

/* For an unknown name that is a reserved word but for its capitals, as TRUE, or is known elsewhere; NULL: it is not. */
const char *foreign_word(struct arena *arena, const char *name);

/* For an unknown name before '('; NULL: it is not known elsewhere. */
const char *foreign_call(const char *name);

/* Which of floe's elements and attributes `name` of another language may mean, one that is among the `count`
   candidates; NULL: none. */
const char *foreign_part(const char *name, const char *const *candidates, size_t count);

#endif
