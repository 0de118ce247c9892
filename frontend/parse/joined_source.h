/* A text to be read as an expression over a model: a further source behind those of the model, so that messages can
   have places in both. */
#ifndef FLOE_FRONTEND_PARSE_JOINED_SOURCE_H
#define FLOE_FRONTEND_PARSE_JOINED_SOURCE_H

#include "model/language.h"

struct joined_source {
  const struct source *first; /* of the model */
  const struct source *text;  /* of the expression, on one line */
};

/* Reads and checks the text: sets *out, whose expression is NULL after an error. `log` has places in `joined`. */
typedef void expression_reader(void *language, const struct expression_request *request,
                               const struct joined_source *joined, floe_log *log, struct checked_expression *out);

/* Reads request->text behind the model's sources `model`, with the guard of request->arena active, and passes errors on
   with places in the text; those in the model are put at its start. Columns are bytes: an expression ends with an error
   at its first character beyond ASCII. As the operation `expression` of a language (model/language.h). */
floe_status joined_source_read(const struct expression_request *request, const struct source *model,
                               expression_reader *read, void *language, struct checked_expression *out);

#endif
