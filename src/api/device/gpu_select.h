/* Decides how many GPUs a search uses if the options leave that open: one, all from the start, or one and all later. */
#ifndef FLOE_API_DEVICE_GPU_SELECT_H
#define FLOE_API_DEVICE_GPU_SELECT_H

#include "api/device/gpus.h"

/* gpus_acquire; then, with AUTO, without a device list and where the task allows several GPUs, all usable GPUs where
   they are better for the task (gpu/engine/sizing_policy.h, policy_devices), or one, with out->max_count set, where
   they are better once the search is large (policy_others_from). task->options may be `options`, which must live as
   long as *out. */
floe_status gpu_select(floe_options *options, const struct engine_task *task, const struct stop *stop, floe_log *log,
                       struct gpus *out, struct reason *reason);
/* Opens the other GPUs after the first one; unusable ones are left out. Returns the number of open ones;
   options->gpu_memory becomes the limit for each. */
unsigned gpu_select_add_others(struct gpus *gpus, floe_options *options, const struct stop *stop, floe_log *log);

#endif
