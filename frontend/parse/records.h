/* Replaces variables of record types by variables of their fields. */
#ifndef FLOE_FRONTEND_PARSE_RECORDS_H
#define FLOE_FRONTEND_PARSE_RECORDS_H

#include "frontend/parse/syntax.h"

/* In the model and its processes. Logs errors in records and in the initial values of their fields. */
void records_expand(struct syntax_model *model, struct arena *arena, floe_log *log);

/* "did you mean 'x'?" for a misspelt field; NULL: no field has a similar name. */
const char *record_field_hint(const struct syntax_record *record, const char *name, struct arena *arena);

#endif
