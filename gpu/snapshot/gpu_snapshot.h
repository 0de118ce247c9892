/* Saves and restores a search on a GPU (engine/snapshot/snapshot_engine.h), alone or in a group, between two launches.
 */
#ifndef FLOE_GPU_SNAPSHOT_GPU_SNAPSHOT_H
#define FLOE_GPU_SNAPSHOT_GPU_SNAPSHOT_H

struct gpu_search;

/* Writes a checkpoint. Errors are logged, and the search continues. */
void gpu_save(struct gpu_search *self);
/* Restores the checkpoint, before any state is inserted; pending states are in restored_pending then. The search may
   have ended afterwards: with an error, or interrupted, with the figures of the checkpoint. */
void gpu_restore(struct gpu_search *self);
/* Inserts restored_pending, as far as there is room. */
void gpu_restore_pending(struct gpu_search *self);

#endif
