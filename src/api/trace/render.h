/* Describes states and steps for people: floe_change, floe_step. */
#ifndef FLOE_API_TRACE_RENDER_H
#define FLOE_API_TRACE_RENDER_H

#include "core/arena.h"
#include "step/stepper.h"

/* Displayed part of a state: an element of a variable, or a channel with all its messages. */
struct render_item {
  const char *name;           /* NULL: renderer_add_names was not called */
  uint32_t variable, element; /* of a channel: its length variable */
};

struct renderer {
  const struct model *model;
  struct render_item *items;
  size_t item_count, item_cap;
};

/* A firing to describe. `after` is not used if there is a cause. */
struct firing {
  struct step_edge edge;
  const int64_t *before, *after;
  const int64_t *temps; /* as interpreter_fire leaves them */
  const char *cause;    /* why it fails; NULL: it does not */
};

/* These functions take all memory from `arena`, whose guard must be active. Their results may outlive the model. */
void renderer_init(struct renderer *renderer, const struct model *model, struct arena *arena);
/* Makes the names of all items, which descriptions then share; without it, they make the names that they need. */
void renderer_add_names(struct renderer *renderer, struct arena *arena);
/* [item_count], each with `before` "". */
floe_change *render_state(const struct renderer *renderer, const int64_t *values, struct arena *arena);
/* Value of one item. */
const char *render_item(const struct renderer *renderer, size_t item, const int64_t *values, struct arena *arena);
/* Line of a place in the model; 0: NOWHERE. */
unsigned line_at(const struct model *model, source_at at);
floe_step render_step(const struct renderer *renderer, const struct firing *firing, struct arena *arena);

#endif
