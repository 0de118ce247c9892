/* First step: constants, sizes, instances, parameters. */
#ifndef FLOE_FRONTEND_CHECK_CHECK_CONSTANTS_H
#define FLOE_FRONTEND_CHECK_CHECK_CONSTANTS_H

#include "frontend/expr/check.h"

void constants_evaluate(struct check *c);
void processes_size(struct check *c);
void parameters_evaluate(struct check *c, struct template *process);

#endif
