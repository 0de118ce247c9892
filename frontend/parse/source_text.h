/* Excerpts of the source, for messages and for the ground model: on one line, entities of XML decoded, white space
   reduced to single blanks. */
#ifndef FLOE_FRONTEND_PARSE_SOURCE_TEXT_H
#define FLOE_FRONTEND_PARSE_SOURCE_TEXT_H

#include "frontend/parse/syntax.h"

const char *source_excerpt_text(const struct source *source, const struct syntax_expr *e, struct arena *arena);
/* At most the first SOURCE_EXCERPT_SHORT characters; "..." if there are more. */
#define SOURCE_EXCERPT_SHORT 60
const char *source_excerpt_short(const struct source *source, const struct syntax_expr *e, struct arena *arena);
/* The conjuncts of `e` from left to right; *count of them. */
const struct source_excerpt *source_conjuncts(const struct source *source, const struct syntax_expr *e,
                                              struct arena *arena, size_t *count);

/* The text from `start` to `end`, with one blank for what `skip` passes over: blanks and comments of the language. skip
   returns the first place from `from` on that it does not pass over. */
const char *source_text(const struct source *source, source_at start, source_at end,
                        source_at (*skip)(const struct source *source, source_at from), struct arena *arena);

#endif
