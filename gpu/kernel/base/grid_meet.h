/* A barrier of all blocks of a cooperative launch. */
#ifndef FLOE_GPU_GRID_MEET_H
#define FLOE_GPU_GRID_MEET_H

/* All blocks wait for each other; what they wrote before is visible to all of them afterwards. `times` barriers were
   passed before; *arrived was 0 at the launch. */
KERNEL_FN void grid_meet(uint32_t *arrived, uint32_t times) {
  gpu_sync_block();
  if (gpu_thread() == 0) {
    gpu_fence();
    gpu_add32(arrived, 1);
    for (uint32_t pauses = 0; gpu_load32_acquire(arrived) < (times + 1) * gpu_blocks(); pauses++)
      gpu_pause(pauses);
  }
  gpu_sync_block();
}

#endif
