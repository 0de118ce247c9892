/* Transitions in which certain processes take part: as initiator, or as the other side of a handshake. The receivers of
   a broadcast do not count: which of them take part depends on the state. */
#ifndef FLOE_MODEL_TRANSITION_SET_H
#define FLOE_MODEL_TRANSITION_SET_H

#include "model/model.h"

/* It has this label, or none and the name "from -> to". */
bool edge_is_named(const struct edge *edge, const char *name);
bool transition_in_set(const struct model *model, const struct transition *transition,
                       const struct transition_set *set);
bool same_transition_set(const struct transition_set *a, const struct transition_set *b);
/* As written: "P[0].enter", "P", "enter". */
const char *transition_set_text(const struct model *model, const struct transition_set *set, struct arena *arena);

#endif
