/* One launch of the exploration kernel, and progress reports between launches. */
#ifndef FLOE_GPU_EXPLORE_LAUNCH_H
#define FLOE_GPU_EXPLORE_LAUNCH_H

#include "core/status.h"

#include <stdint.h>

struct gpu_search;
struct gpu_space;
struct search_kernels;
struct shards;

/* Sets the conditions that end a launch. */
void gpu_search_set_stops(struct gpu_search *self);
/* Runs floe_explore to its end, on the set that kernels see as `view`. Delivers downloaded states meanwhile. */
floe_status gpu_search_launch(struct gpu_search *self, const struct search_kernels *kernels, const void *view,
                              const struct gpu_space *space);
/* Reports progress when it is due, and ends the search if it is interrupted or out of time. `host`: part of the visited
   set in host memory; NULL: none. */
void gpu_search_poll(struct gpu_search *self, const struct shards *host);

/* Least size of a level from which several devices are faster. */
uint64_t gpu_search_large_level(const struct gpu_search *self);

#endif
