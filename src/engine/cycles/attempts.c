#include "engine/cycles/attempts.h"

#include "engine/sizing.h"

bool cycle_attempt_due(const struct sizing_levels *levels, uint64_t *next) {
  const uint64_t states = levels->expanded + levels->states[levels->count - 1];
  if (*next == 0 || states < *next)
    return false;
  const double all = sizing_predicted_states(levels);
  if (all > 0 && all < CYCLE_ATTEMPTS_GROWTH * (double)states)
    return false;
  *next = CYCLE_ATTEMPTS_GROWTH * states;
  return true;
}
