/* Witnesses of violated properties that the device found; the stepper determines the error of each. */
#ifndef FLOE_GPU_ENGINE_VIOLATIONS_H
#define FLOE_GPU_ENGINE_VIOLATIONS_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

struct engine_violation;
struct gpu_search;
struct step_error;

/* The error with which `state` triggers a property. */
floe_status violations_error(const struct gpu_search *self, size_t property, const uint64_t *state,
                             struct step_error *out);
/* Key of the state control.results.witness[property], for mem_free. NULL: no memory. */
uint64_t *violations_state(const struct gpu_search *self, size_t property);
/* Adds the least witnesses of the properties `triggered` in the level `depth` to violations[property]. */
floe_status violations_collect(struct gpu_search *self, uint32_t depth, uint64_t triggered,
                               struct engine_violation *violations);
/* Clears the control block's violations. */
void violations_forget(struct gpu_search *self);
/* Moves the control block's violations of the level `depth` to the search. */
floe_status violations_gather(struct gpu_search *self, uint32_t depth);

#endif
