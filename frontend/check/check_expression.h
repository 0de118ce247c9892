/* Single expressions over the state of a checked model: values to display, conditions to search for. */
#ifndef FLOE_FRONTEND_CHECK_CHECK_EXPRESSION_H
#define FLOE_FRONTEND_CHECK_CHECK_EXPRESSION_H

#include "model/language.h"

/* struct language, `expression`; the outline's tree is a struct syntax_model. */
floe_status expression_check(const struct expression_request *request, struct checked_expression *out);

#endif
