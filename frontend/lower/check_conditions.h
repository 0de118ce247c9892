/* Conditions of transitions as written (struct edge_instance), for explanations. */
#ifndef FLOE_FRONTEND_LOWER_CHECK_CONDITIONS_H
#define FLOE_FRONTEND_LOWER_CHECK_CONDITIONS_H

#include "frontend/expr/check.h"

/* Adds the conditions to the edges of the model. Call last, and only if the model has no errors. Reports nothing: an
   expression that is valid only because it is never evaluated becomes NULL, as do those beyond the model's limits. */
void conditions_lower(struct check *c);

#endif
