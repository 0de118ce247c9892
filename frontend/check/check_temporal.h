/* Temporal properties: from a syntax tree, or an automaton, to a formula or automaton over ground expressions. */
#ifndef FLOE_FRONTEND_CHECK_CHECK_TEMPORAL_H
#define FLOE_FRONTEND_CHECK_CHECK_TEMPORAL_H

#include "frontend/expr/check.h"

/* `fairness`: its list, valid; may be NULL. NULL: errors are logged. *evaluations: an expression that evaluates all
   atoms that can fail; NULL: none can. */
const struct temporal *temporal_lower(struct check *c, const struct syntax_expr *e, const char *fairness,
                                      const struct expr **evaluations);
/* The same for the automaton of the runs that violate the property. */
const struct temporal *temporal_lower_automaton(struct check *c, const struct syntax_automaton *automaton,
                                                const char *fairness, const struct expr **evaluations);

#endif
