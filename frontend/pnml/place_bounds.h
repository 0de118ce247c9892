/* Upper bounds of the tokens in each place, proved from the structure of a net. */
#ifndef FLOE_FRONTEND_PNML_PLACE_BOUNDS_H
#define FLOE_FRONTEND_PNML_PLACE_BOUNDS_H

#include "frontend/pnml/net.h"

/* Lowers the bounds of places of units, as far as they are proved. */
void unit_bounds(struct net *net, struct arena *arena);
/* Sets the bounds of all places, and the sets that share bits (exclusive_places.h). Memory from `arena`, whose guard is
 * active. */
void place_bounds(struct net *net, struct arena *arena);
/* Lowers the bounds, which hold already, and adds to the sums that were proved. */
void place_bounds_lower(struct net *net, struct arena *arena);

#endif
