/* Witnesses of violated properties that the device found; the stepper determines the error of each. */
#ifndef FLOE_GPU_ENGINE_VIOLATIONS_H
#define FLOE_GPU_ENGINE_VIOLATIONS_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

struct engine_violation;
struct gpu_search;

/* Adds the least witnesses of the properties `triggered` in the level `depth` to violations[property]. */
floe_status violations_collect(struct gpu_search *self, uint32_t depth, uint64_t triggered,
                               struct engine_violation *violations);
/* Clears the control block's violations. */
void violations_forget(struct gpu_search *self);
/* Moves the control block's violations of the level `depth` to the search. */
floe_status violations_gather(struct gpu_search *self, uint32_t depth);

#endif
