/* State variables: of the model and of processes, locations, buffers; their initial values. */
#ifndef FLOE_FRONTEND_CHECK_CHECK_VARIABLES_H
#define FLOE_FRONTEND_CHECK_CHECK_VARIABLES_H

#include "frontend/expr/check.h"

void variables_declare(struct check *c);
void channels_declare(struct check *c);
void locations_declare(struct check *c, struct template *process);
void globals_shape(struct check *c);
void locals_shape(struct check *c, struct template *process);
void variables_initialise(struct check *c);

#endif
