/* Expressions over the places of a net: Think(ph1) >= 2 and fireable(T). */
#ifndef FLOE_FRONTEND_PNML_NET_EXPRESSION_H
#define FLOE_FRONTEND_PNML_NET_EXPRESSION_H

#include "frontend/pnml/ground_net.h"

/* Reads the text, one line. NULL: an error was logged. After ground_net; the log of g->build has places in the text.
 *is_bool: the value is a truth value. */
const struct expr *net_expression_read(struct net_grounding *g, const struct source *text, bool *is_bool);

#endif
