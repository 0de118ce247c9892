#include "gpu/table/device_arrays.h"

#include <assert.h>

enum { WORD = sizeof(uint64_t) };

floe_status gpu_arrays_take(struct gpu *gpu, uint64_t room, bool values, struct gpu_arrays *out) {
  struct gpu_arrays arrays = {.room = room};
  assert(room);
  floe_status status = gpu_alloc(gpu, room * WORD, &arrays.keys);
  if (status == FLOE_OK && values)
    status = gpu_alloc(gpu, room * WORD, &arrays.values);
  if (status == FLOE_OK)
    status = gpu_alloc(gpu, room, &arrays.answers);
  if (status == FLOE_OK)
    *out = arrays;
  else
    gpu_arrays_give(gpu, &arrays);
  return status;
}

void gpu_arrays_give(struct gpu *gpu, struct gpu_arrays *arrays) {
  gpu_free(gpu, arrays->keys);
  gpu_free(gpu, arrays->values);
  gpu_free(gpu, arrays->answers);
  *arrays = (struct gpu_arrays){0};
}

uint64_t gpu_arrays_bytes(const struct gpu_arrays *arrays) {
  return arrays->room * (WORD + (arrays->values ? WORD : 0) + 1);
}
