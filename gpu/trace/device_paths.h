/* Paths to violations, from the levels of a finished search in device memory. */
#ifndef FLOE_GPU_TRACE_DEVICE_PATHS_H
#define FLOE_GPU_TRACE_DEVICE_PATHS_H

struct engine_outcome;
struct gpu_search;

/* If the task requests paths, and the ring still has all levels: sets out->paths, perhaps without edges. In all other
   cases, and after an error, there are none; an error of the device is not logged. `out` is the outcome of the search.
 */
void device_paths_find(struct gpu_search *self, struct engine_outcome *out);

#endif
