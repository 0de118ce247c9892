/* States and steps in words. */
#ifndef FLOE_TELLING_H
#define FLOE_TELLING_H

#include "core/arena.h"
#include "step/stepper.h"

/* What people see of a state: an element of a variable, or a channel with all its messages. */
struct telling_item {
  const char *name;
  uint32_t variable, element; /* a channel: its length */
};

struct telling {
  const struct model *model;
  struct telling_item *items;
  size_t item_count, item_cap;
};

/* A firing that is to be told. A failing one has a cause; its `after` is not looked at. */
struct firing {
  struct step_edge edge;
  const int64_t *before, *after;
  const int64_t *temps; /* as interpreter_fire leaves them */
  const char *cause;    /* NULL: none */
};

/* All memory of these is from `arena`, whose guard must be active; what they return may outlive the
   model. */
void telling_init(struct telling *telling, const struct model *model, struct arena *arena);
/* One entry for each item, `before` is "". */
floe_change *telling_state(const struct telling *telling, const int64_t *values, struct arena *arena);
floe_step telling_step(const struct telling *telling, const struct firing *firing, struct arena *arena);

#endif
