/* Sorts keys on a device, with a module that is built if configure found nvcc (gpu/table/sort.cu) and opened on
   demand: floe itself is built and runs without it. */
#ifndef FLOE_GPU_SORT_H
#define FLOE_GPU_SORT_H

#include "gpu/driver/driver.h"

struct gpu_sort; /* the opened module */

/* Opens $FLOE_LIBSORT, else libfloe_sort.so beside the program, in gpu/ beside it or beside its folder (where it was
   built), or where it was installed. FLOE_ERROR_UNSUPPORTED with a reason: there is none, or the loader's error text.
 */
floe_status gpu_sort_open(struct gpu_sort **out, struct reason *reason);
void gpu_sort_close(struct gpu_sort *sort); /* NULL is allowed */

/* Arrays of a sort, in the device's memory. */
struct gpu_sort_job {
  gpu_address keys, alternate; /* n words each; the content of `alternate` is undefined afterwards */
  uint64_t n;
  unsigned bits;    /* the lowest bits of the keys, by which they are sorted */
  gpu_address room; /* temporary memory of `bytes` bytes, at least those of gpu_sort_room */
  uint64_t bytes;
};

/* Bytes of temporary device memory that gpu_sort_keys needs for n keys. */
floe_status gpu_sort_room(const struct gpu_sort *sort, struct gpu *gpu, uint64_t n, unsigned bits, uint64_t *bytes);
/* In the stream. */
floe_status gpu_sort_keys(const struct gpu_sort *sort, struct gpu *gpu, const struct gpu_sort_job *job);

#endif
