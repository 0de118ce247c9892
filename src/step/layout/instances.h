/* Layout of a symmetric model: in each word, elements of the same instance are side by side, those whose values are no
   instances first. Then the canonical form (step/layout/canonical.h) reads and writes the latter as one element. */
#ifndef FLOE_STEP_LAYOUT_INSTANCES_H
#define FLOE_STEP_LAYOUT_INSTANCES_H

#include "step/layout/layout.h"

#define NO_INSTANCE_SET UINT32_MAX

/* The set with names of which each instance has one element of the variable, in order; or NO_INSTANCE_SET. */
uint32_t variable_instance_set(const struct model *model, uint32_t v);
/* No value of the variable is an instance. */
bool variable_is_plain(const struct model *model, uint32_t v);

/* Moves fields within their words. Fields of one word may all move. In the guard of `arena`. */
void layout_join_instances(const struct model *model, struct arena *arena, struct layout *layout);

#endif
