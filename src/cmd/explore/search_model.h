/* A copy of a model for floe_explore, which must not use a model that other threads read. */
#ifndef FLOE_CMD_EXPLORE_SEARCH_MODEL_H
#define FLOE_CMD_EXPLORE_SEARCH_MODEL_H

#include "floe.h"

/* Id of the property of a condition. */
#define SEARCH_PROPERTY "floe_explore_condition"

/* False if the model has no property with that id. */
bool model_has_property(const floe_model *model, const char *id);

/* Parses the text again, with the same constants, and checks it. `condition`, an expression in the model's language:
   the copy has a further property, with the id SEARCH_PROPERTY, which a state violates if the condition holds: a
   violation ends a search at once, a state that is reached does not. NULL: it has none. FLOE_ERROR_UNSUPPORTED,
   not logged: no property can be added to a text of this language. FLOE_ERROR_USAGE, not logged: an included file
   has changed. Any other error: as floe_model_parse and floe_model_check. */
floe_status search_model_create(const floe_model *model, const char *condition, floe_log *log, floe_model **out);

#endif
