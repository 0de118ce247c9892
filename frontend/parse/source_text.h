/* Parts of the source as people wrote them, for messages and for what the ground model says of itself: on one line,
   entities decoded, any blank space one blank. */
#ifndef FLOE_WRITTEN_H
#define FLOE_WRITTEN_H

#include "frontend/parse/syntax.h"

const char *written_text(const struct source *source, const struct syntax_expr *e, struct arena *arena);
/* At most its first WRITTEN_SHORT characters, with "..." where there are more. */
#define WRITTEN_SHORT 60
const char *written_short(const struct source *source, const struct syntax_expr *e, struct arena *arena);
/* The operands of the `and`s of `e` from left to right; *count of them. */
const struct written *written_conjuncts(const struct source *source, const struct syntax_expr *e, struct arena *arena,
                                        size_t *count);

#endif
