/* `else`: enabled if no other transition of the instance is enabled. */
#ifndef FLOE_MODEL_COMPOSE_ELSE_H
#define FLOE_MODEL_COMPOSE_ELSE_H

#include "model/compose/part.h"

/* Whether the guard `else` of a transition can be decided. */
struct else_finding {
  size_t others;                        /* transitions without `else` from its locations; 0: the guard is always true */
  const struct compose_edge *undecided; /* one of them that other instances enable; NULL: the guard can be decided */
  uint32_t location;                    /* that `undecided` leaves */
};
struct else_finding compose_else_find(struct compose *c, const struct compose_process *process,
                                      const struct compose_edge *edge);

/* Adds the guards of such an edge to the transition builder. */
void else_test(struct compose *c, const struct instance_edge *edge, uint32_t from);

#endif
