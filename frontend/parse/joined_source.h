/* A text to be read as an expression over a model: a further source behind those of the model, so that messages can
   have places in both. */
#ifndef FLOE_FRONTEND_PARSE_JOINED_SOURCE_H
#define FLOE_FRONTEND_PARSE_JOINED_SOURCE_H

#include "core/arena.h"
#include "core/diag.h"

struct joined_source {
  const struct source *first; /* of the model */
  const struct source *text;  /* of the expression, on one line */
};

/* In `arena`, whose guard is active. */
const struct joined_source *joined_source_make(const struct source *model, const char *text, struct arena *arena);

/* Passes errors on with places in the text; those in the model are put at its start. Columns are bytes: an expression
   ends with an error at its first character beyond ASCII. */
void joined_source_pass_on(const floe_log *from, const struct source *text, floe_log *to);

#endif
