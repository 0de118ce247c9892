/* Keys, values and answers of many calls in a device's memory: what gpu_table_run works on. */
#ifndef FLOE_GPU_ARRAYS_H
#define FLOE_GPU_ARRAYS_H

#include "gpu/driver/driver.h"

struct gpu_arrays {
  uint64_t room;                     /* of each, in keys; 0: there are none */
  gpu_address keys, values, answers; /* words, words and bytes; values 0: there are none */
};

/* Content undefined. FLOE_ERROR_MEMORY, not told: nothing is taken then. */
floe_status gpu_arrays_take(struct gpu *gpu, uint64_t room, bool values, struct gpu_arrays *out);
void gpu_arrays_give(struct gpu *gpu, struct gpu_arrays *arrays); /* such that are none are allowed, and become so */
/* Bytes of the device's memory that they take. */
uint64_t gpu_arrays_bytes(const struct gpu_arrays *arrays);

#endif
