/* Distributed restore, GPU member: rank 0 reads the checkpoint and scatters each section to the owners of the states,
   in a phase of its own, as CPU members do (engine/cpu/cpu_restore_distributed.c); members may be of both kinds. */
#ifndef FLOE_GPU_SNAPSHOT_GPU_RESTORE_DISTRIBUTED_H
#define FLOE_GPU_SNAPSHOT_GPU_RESTORE_DISTRIBUTED_H

struct gpu_search;

/* By all members, as gpu_restore. The search may have ended then, with or without an error. */
void gpu_restore_distributed(struct gpu_search *self);

#endif
