/* Visiting order of a group of processes: after each level, each member sends the states that it found to rank 0, which
   has the recorder (engine/distributed/record_distributed.h). */
#ifndef FLOE_GPU_MULTI_LEVEL_RECORD_H
#define FLOE_GPU_MULTI_LEVEL_RECORD_H

struct gpu_search;

/* Sends the states of the next level, if the group records. An error ends the search. */
void member_record_level(struct gpu_search *self);

#endif
