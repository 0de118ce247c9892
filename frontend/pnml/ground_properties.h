/* Properties of a net, in the XML of the Model Checking Contest, over its ground model. */
#ifndef FLOE_FRONTEND_PNML_GROUND_PROPERTIES_H
#define FLOE_FRONTEND_PNML_GROUND_PROPERTIES_H

#include "frontend/pnml/ground_net.h"
#include "frontend/xml/xml.h"

/* Sets the properties and measures of g->build.model: those under `set`, the root of a file of properties (NULL: none
   was given, then the measures are the tokens of all places and of each), deadlock and errors. Errors are logged and
   counted in g->build. After ground_net. */
void ground_properties(struct net_grounding *g, const struct xml_element *set);

/* Steps in other files. NULL, with the error logged: the element is no such formula. */
/* ground_condition.c: a condition on a state, and a number. */
const struct expr *ground_condition(struct net_grounding *g, const struct xml_element *e);
bool is_condition(const struct xml_element *e); /* no operator of time or paths is in it */
/* The places of a list, as indices in the value array. False: logged. */
bool ground_places(struct net_grounding *g, const struct xml_element *list, uint32_t **places, size_t *count);
/* ground_temporal.c: a formula of linear time. */
const struct temporal *ground_temporal(struct net_grounding *g, const struct xml_element *e);

/* Text of a condition for people, on one line. */
const char *condition_text(struct net_grounding *g, const struct expr *expr);
/* The operands: elements in `e`; -1 and an error if there are not `least` to `most`. */
int operand_count(struct net_grounding *g, const struct xml_element *e, int least, int most);

#endif
