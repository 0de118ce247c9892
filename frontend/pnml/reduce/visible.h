/* What the questions read: visible places, and what the reductions have to keep. */
#ifndef FLOE_FRONTEND_PNML_REDUCE_VISIBLE_H
#define FLOE_FRONTEND_PNML_REDUCE_VISIBLE_H

#include "frontend/pnml/ground_net.h"
#include "frontend/pnml/reduce/reducible.h"
#include "frontend/xml/xml.h"

/* Sets r->keep and `visible` of the places. `properties` may be NULL. */
void find_visible(struct reducible *r, const struct xml_element *properties, const struct net_questions *questions);

#endif
