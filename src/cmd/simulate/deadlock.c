#include "cmd/simulate/deadlock.h"

#define SECONDS 2 /* time limit of the explanation; check uses --timeout instead */

static floe_status is_deadlock(const floe_model *model, floe_expansion *state, bool *deadlock) {
  *deadlock = false;
  for (size_t i = 0; i < floe_model_properties(model) && !*deadlock; i++) {
    floe_property_value observation;
    if (floe_model_property(model, i).kind != FLOE_DEADLOCK)
      continue;
    floe_status status = floe_expansion_property(state, i, &observation);
    if (status != FLOE_OK)
      return status;
    *deadlock = observation.triggered;
  }
  return FLOE_OK;
}

floe_status deadlock_explain(const floe_model *model, floe_expansion *state, const floe_trace **blocked) {
  bool deadlock;
  *blocked = NULL;
  floe_status status = is_deadlock(model, state, &deadlock);
  return status == FLOE_OK && deadlock ? floe_expansion_blocked(state, SECONDS, blocked) : status;
}
