/* Writes a checkpoint, between two launches. In a group all members are paused, and rank 0 writes the file: the others
   send their states to it, as CPU members do (engine/cpu/cpu_save.c). */
#ifndef FLOE_GPU_SNAPSHOT_GPU_SAVE_H
#define FLOE_GPU_SNAPSHOT_GPU_SAVE_H

struct gpu_search;

/* Errors are logged, and the search continues. */
void gpu_save(struct gpu_search *self);

#endif
