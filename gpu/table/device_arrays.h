/* Arrays of keys, values and answers in a device's memory, for several calls of gpu_table_run. */
#ifndef FLOE_GPU_ARRAYS_H
#define FLOE_GPU_ARRAYS_H

#include "gpu/driver/driver.h"

struct gpu_arrays {
  uint64_t room;                     /* of each, in keys; 0: not allocated */
  gpu_address keys, values, answers; /* words, words and bytes; values 0: none */
};

/* Content undefined. FLOE_ERROR_MEMORY, not logged: nothing is allocated. */
floe_status gpu_arrays_take(struct gpu *gpu, uint64_t room, bool values, struct gpu_arrays *out);
void gpu_arrays_give(struct gpu *gpu, struct gpu_arrays *arrays); /* unallocated ones are allowed; unallocated
                                                                     afterwards */
/* Bytes of device memory that they take. */
uint64_t gpu_arrays_bytes(const struct gpu_arrays *arrays);

#endif
