/* The ground model of a net: a variable for each place, a transition without a process for each transition. */
#ifndef FLOE_FRONTEND_PNML_GROUND_NET_H
#define FLOE_FRONTEND_PNML_GROUND_NET_H

#include "frontend/pnml/net.h"
#include "model/build.h"

/* Ids of the properties that are asked for. */
struct net_questions {
  const char *const *ids; /* [count]; NULL: all */
  size_t count;
};

struct net_grounding {
  const struct net *net;
  const struct net *written; /* whose transitions the ids of the file name, where `net` is a reduced one; NULL: `net` */
  const struct net_questions *questions; /* NULL: all properties */
  int64_t guessed;   /* most tokens of a place whose bound is guessed, if it has not more initially */
  bool claims;       /* units of the file have at most one token together, which each firing checks (claimed_units.c) */
  uint32_t *unit_of; /* [place] number of its claimed unit, plus 1; 0: none. NULL: not `claims` */
  struct builder build;
  const struct expr **enabled; /* [transition_count] set by ground_net: the condition of each transition */
};

/* Variables, transitions and their conditions. The caller has set all members but unit_of and enabled, and the first
   four of `build`; it calls claimed_units_find before, build_start and build_finish. */
void ground_net(struct net_grounding *g);

/* Sets unit_of. */
void claimed_units_find(struct net_grounding *g);
static inline uint32_t claimed_unit_of(const struct net_grounding *g, size_t place) {
  return g->unit_of ? g->unit_of[place] : 0;
}
/* Appends what checks that the transition puts no second token into a claimed unit, as many as its arcs at most. */
void claimed_unit_checks(struct net_grounding *g, const struct net_transition *t, struct statement *list,
                         size_t *count);

/* The condition of a transition that an id names. After ground_net. */
const struct expr *ground_enabled(struct net_grounding *g, uint32_t transition);

#endif
