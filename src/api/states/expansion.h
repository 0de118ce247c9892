/* Definition of floe_expansion. */
#ifndef FLOE_API_STATES_EXPANSION_H
#define FLOE_API_STATES_EXPANSION_H

#include "api/states/state.h"
#include "api/trace/render.h"

struct floe_expansion {
  const struct model *model;
  const struct layout *layout;
  uint64_t check_number; /* of the floe_model */
  struct arena arena;    /* all that follows */
  const floe_state *state;
  const int64_t *values;
  struct step_edge *edges; /* enabled firings */
  size_t count, cap;
  const floe_state **successors; /* [count]; NULL: not computed so far */
  int64_t *after, *temps;        /* scratch of a firing */
  struct renderer renderer;
  const floe_change *shown; /* floe_expansion_values */
};

/* Expands a packed state of a checked model, for which state_require_bound succeeded. */
floe_status expansion_create(const floe_model *model, const uint64_t *packed, floe_expansion **out);
/* Runs `body` under the guard of the arena, with the renderer usable. */
floe_status expansion_run(floe_expansion *expansion, void (*body)(void *), void *data);

#endif
