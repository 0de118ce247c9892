/* Restores a search from the checkpoint task->snapshot.from. */
#ifndef FLOE_GPU_SNAPSHOT_GPU_RESTORE_H
#define FLOE_GPU_SNAPSHOT_GPU_RESTORE_H

#include "core/status.h"

struct gpu_search;

/* Before any state was inserted. Pending states of the checkpoint are in restored_pending then. If the search was
   stopped meanwhile, it has ended with the figures of the checkpoint. */
floe_status gpu_restore(struct gpu_search *self);
/* Inserts restored_pending, as far as there is room. */
void gpu_restore_pending(struct gpu_search *self);
/* Sets the sums of search->origin, states and violations excepted. */
floe_status gpu_restore_sums(struct gpu_search *self);

#endif
