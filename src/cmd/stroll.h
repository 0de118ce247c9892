/* A walk that is told on standard output as it goes: what floe simulate does, at random or as it is
 * bidden. */
#ifndef FLOE_CMD_STROLL_H
#define FLOE_CMD_STROLL_H

#include "floe.h"

struct stroll {
  const floe_model *model;
  floe_walk *walk;
  uint64_t random;    /* state of the generator: the seed at first */
  uint64_t triggered; /* mask of properties: of the state told last */
  bool violated;      /* some property was, in a state that was told */
};

/* Model, first state, and what holds there. Everything here returns FLOE_ERROR_MEMORY or FLOE_OK. */
floe_status stroll_begin(struct stroll *stroll);
/* What the present state means for the properties, as far as it did not of the state told before. */
floe_status stroll_tell_properties(struct stroll *stroll);
floe_status stroll_tell_state(struct stroll *stroll);
/* Takes firing `i`, which is there. A failing one is told, and the walk stays. */
floe_status stroll_fire(struct stroll *stroll, size_t i);
/* One of the firings that do not fail, each as likely. *taken: there was one. */
floe_status stroll_random(struct stroll *stroll, bool *taken);
floe_status stroll_undo(struct stroll *stroll);

#endif
