/* The ground model of a net: a variable for each place, a transition without a process for each transition. */
#ifndef FLOE_FRONTEND_PNML_GROUND_NET_H
#define FLOE_FRONTEND_PNML_GROUND_NET_H

#include "frontend/pnml/net.h"
#include "model/build.h"

struct net_grounding {
  const struct net *net;
  int64_t guessed; /* most tokens of a place whose bound is guessed, if it has not more initially */
  struct builder build;
  const struct expr **enabled; /* [transition_count] set by ground_net: the condition of each transition */
};

/* Variables, transitions and their conditions. The caller has set the first two members and the first four of
   `build`; it calls build_start and build_finish. */
void ground_net(struct net_grounding *g);

#endif
