/* States and steps in words. */
#ifndef FLOE_RENDER_H
#define FLOE_RENDER_H

#include "core/arena.h"
#include "step/stepper.h"

/* What people see of a state: an element of a variable, or a channel with all its messages. */
struct render_item {
  const char *name;
  uint32_t variable, element; /* a channel: its length */
};

struct renderer {
  const struct model *model;
  struct render_item *items;
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
void renderer_init(struct renderer *renderer, const struct model *model, struct arena *arena);
/* One entry for each item, `before` is "". */
floe_change *render_state(const struct renderer *renderer, const int64_t *values, struct arena *arena);
/* The value of one item. */
const char *render_item(const struct renderer *renderer, size_t item, const int64_t *values, struct arena *arena);
floe_step render_step(const struct renderer *renderer, const struct firing *firing, struct arena *arena);

#endif
