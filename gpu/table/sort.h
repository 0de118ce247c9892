/* Sorting of keys on a device, by a module that is built where configure found nvcc (gpu/table/sort.cu) and opened when it is
   wanted: floe itself is built and runs without. */
#ifndef FLOE_GPU_SORT_H
#define FLOE_GPU_SORT_H

#include "gpu/driver/driver.h"

struct gpu_sort; /* the opened module */

/* Opens $FLOE_LIBSORT, else libfloe_sort.so beside the program, in gpu/ beside it or beside its folder (where it was
   built), or where it was installed. FLOE_ERROR_UNSUPPORTED with a reason: there is none, or none that the loader
   takes, in its words. */
floe_status gpu_sort_open(struct gpu_sort **out, struct reason *reason);
void gpu_sort_close(struct gpu_sort *sort); /* NULL is allowed */

/* Bytes of the device's memory that gpu_sort_keys wants for n keys, beside `alternate`. */
floe_status gpu_sort_room(const struct gpu_sort *sort, struct gpu *gpu, uint64_t n, unsigned bits, uint64_t *bytes);
/* In the stream: sorts the n keys at `keys`, of which the lowest `bits` bits matter. `alternate` has room for as
   many, `room` the bytes that gpu_sort_room said; both are left with anything in them. */
floe_status gpu_sort_keys(const struct gpu_sort *sort, struct gpu *gpu, gpu_address keys, gpu_address alternate,
                          uint64_t n, unsigned bits, gpu_address room, uint64_t bytes);

#endif
