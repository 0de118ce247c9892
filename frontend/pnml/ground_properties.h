/* Properties of a net, in the XML of the Model Checking Contest, over its ground model. */
#ifndef FLOE_FRONTEND_PNML_GROUND_PROPERTIES_H
#define FLOE_FRONTEND_PNML_GROUND_PROPERTIES_H

#include "frontend/pnml/ground_net.h"
#include "frontend/xml/xml.h"
#include "model/language.h"

/* Sets the properties and measures of g->build.model: those under `set`, the root of a file of properties (NULL: none
   was given, then the measures are the tokens of all places and of each), deadlock and errors. Errors are logged and
   counted in g->build. After ground_net. */
void ground_properties(struct net_grounding *g, const struct xml_element *set);

/* The property's element `formula`; NULL: none. *id: "" if it has none. */
const struct xml_element *property_formula(const struct xml_element *property, struct arena *arena, const char **id);
bool is_asked(const struct net_questions *questions, const char *id);
/* Whether a state with a condition is reachable. False: another kind of formula. */
bool is_state_formula(const struct xml_element *formula, floe_property_kind *kind,
                      const struct xml_element **condition);

/* reduce/reduce.c */
struct reducible;
/* Returns a net with fewer places or transitions; NULL: no rule applies. The verdicts on the properties and the largest
   numbers of tokens that are asked for stay the same. `properties`: the file of formulas; NULL: none. The reduced net
   numbers places as `net`, which is not modified, and keeps its bounds and sums. A note in the log reports the rules
   applied. Memory is from `arena`, whose guard is active. *how is set, for net_expand_run, unless NULL is returned. */
struct net *net_reduce(const struct net *net, const struct xml_element *properties,
                       const struct net_questions *questions, struct arena *arena, floe_log *log,
                       const struct reducible **how);
/* reduce/expand_run.c: language.expand_run. NULL, or why there is no such run. */
const char *net_expand_run(const struct reducible *how, const struct transition_run *run, struct arena *arena,
                           struct transition_run *out);

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
