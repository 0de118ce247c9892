/* The state: variables of the model and of processes, locations, buffers; and their initial values. */
#ifndef FLOE_CHECK_VARIABLES_H
#define FLOE_CHECK_VARIABLES_H

#include "frontend/check/check.h"

void variables_declare(struct check *c);
void channels_declare(struct check *c);
void locations_declare(struct check *c, struct template *process);
void globals_shape(struct check *c);
void locals_shape(struct check *c, struct template *process);
void variables_initialise(struct check *c);

#endif
