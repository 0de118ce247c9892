/* One mistake is told once: what is missing is missing at each of its uses. */
#ifndef FLOE_CHECK_TOLD_H
#define FLOE_CHECK_TOLD_H

#include "frontend/check/check.h"

/* Whether the error about `name` of `owner` ("" for the model) was told; if not, it is to be told now. Counts the
   errors that are not told again. */
bool already_reported(struct check *c, const char *owner, const char *name);
/* The same of a name whose declaration was refused: its uses say nothing new. */
bool is_refused(struct check *c, const struct template *process, const char *name);
void mark_invalid(struct check *c, const struct template *process, const char *name);

#endif
