/* Sets of places that have at most one token together, which share the bits of a state (model/model.h). */
#ifndef FLOE_FRONTEND_PNML_EXCLUSIVE_PLACES_H
#define FLOE_FRONTEND_PNML_EXCLUSIVE_PLACES_H

#include "frontend/pnml/net.h"

/* Notes the sum of tokens in the places, ascending, as proved to be at most 1; `one`: it is always 1. Memory from
   `arena`, whose guard is active. */
void exclusive_note(struct net *net, struct arena *arena, const uint32_t *places, size_t count, bool one);
/* Selects disjoint sets from the sums, so that few bits suffice: net->exclusive. All bounds are known. */
void exclusive_choose(struct net *net, struct arena *arena);
/* After that: what is left of the units of the file, as far as it saves bits: net->claimed. */
void exclusive_claim(struct net *net, struct arena *arena);

#endif
