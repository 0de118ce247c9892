/* The firings of a step of a path: one, or a sequence through transient states (model/interpreter/sequence.h). */
#ifndef FLOE_API_TRACE_STEP_FIRINGS_H
#define FLOE_API_TRACE_STEP_FIRINGS_H

#include "model/interpreter/sequence.h"
#include "step/stepper.h"

struct step_firings {
  struct sequence_firing *firings;
  size_t count, capacity;
};

struct step_request {
  const struct model *model;
  const struct layout *layout;
  const int64_t *values; /* of the state where the step begins */
  bool single;           /* it is a single firing: `edge` */
  struct step_edge edge; /* as steppers report it */
  const uint64_t *end;   /* key of the state after it; not used if the step fails */
};

/* The first ones in canonical order; memory from `arena`, used again by the next call. FLOE_ERROR_INTERNAL: the state
   has no such step. FLOE_ERROR_MEMORY. */
floe_status step_firings_find(const struct step_request *request, struct arena *arena, struct step_firings *out);

#endif
