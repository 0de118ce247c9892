/* Expressions over the state of a checked model. */
#ifndef FLOE_FRONTEND_DVE_DVE_EXPRESSION_H
#define FLOE_FRONTEND_DVE_DVE_EXPRESSION_H

#include "model/language.h"

floe_status dve_expression(const struct expression_request *request, struct checked_expression *out);

#endif
