/* End of a level on the host: violations, decisions of the search, the next level. */
#ifndef FLOE_GPU_EXPLORE_LEVEL_END_H
#define FLOE_GPU_EXPLORE_LEVEL_END_H

#include <stdint.h>

struct gpu_search;

/* All parts of the level are expanded (or evaluated, at the depth bound): the host closes it. */
void gpu_search_end_level(struct gpu_search *self);
/* The last launch closed levels; violations are of the last one. */
void gpu_search_levels_closed(struct gpu_search *self);
/* Moves violations of the level `depth` to the search. An error ends it. */
void gpu_search_gather(struct gpu_search *self, uint32_t depth);

#endif
