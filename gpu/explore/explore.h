/* One step of the exploration: a launch, and what the kernel needs before the next one. */
#ifndef FLOE_GPU_EXPLORE_EXPLORE_H
#define FLOE_GPU_EXPLORE_EXPLORE_H

struct gpu_search;

void gpu_search_explore_some(struct gpu_search *self);
/* The current part is expanded: begins the next one, or ends the level. */
void gpu_search_end_part(struct gpu_search *self);

#endif
