/* Suppresses repeated diagnostics, for example for each use of an undeclared name. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_DEDUP_H
#define FLOE_FRONTEND_EXPR_CHECK_DEDUP_H

#include "frontend/expr/check.h"

/* True if an error about `name` of `owner` ("" for the model) was already reported; then counts the error. False: the
   caller reports it now. */
bool already_reported(struct check *c, const char *owner, const char *name);
/* The same for a name with an invalid declaration, whose uses are not reported. */
bool is_invalid(struct check *c, const struct template *process, const char *name);
void mark_invalid(struct check *c, const struct template *process, const char *name);

#endif
