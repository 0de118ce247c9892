/* Transitions as written, for composition (model/compose/): names are resolved, and transitions of instances are
   lowered to parts. */
#ifndef FLOE_FRONTEND_LOWER_LOWERED_PART_H
#define FLOE_FRONTEND_LOWER_LOWERED_PART_H

#include "frontend/expr/check.h"

/* `language` of the composition is the struct check. */
extern const struct compose_operations lowered_part_operations;

/* Resolves the names of all transitions of the process. */
void edges_resolve(struct check *c, struct template *process);

#endif
