/* The newest keys of a visited set of two levels, on the device: level 1 of an iceberg table alone, which forgets a key
   where it has no room for another. What it knows is in the set; what it does not know may be. */
#ifndef FLOE_GPU_NEWEST_H
#define FLOE_GPU_NEWEST_H

#include "gpu/driver/memory.h"
#include "tables/kernel/iceberg.h"

struct device_cache_shape {
  struct geometry geometry; /* of level 2: as kernels want one, it is not there */
  uint64_t buckets, slots, bytes;
};

/* The most slots that so many bytes have; no more than all keys need. False: too few for one bucket of any width that
   holds the remainders. */
bool device_cache_plan(unsigned key_bits, uint64_t bytes, struct device_cache_shape *out);

struct device_cache {
  struct device_cache_shape shape;
  struct gpu_region memory;
  struct iceberg view; /* for kernels */
};

/* Empty, in the stream. FLOE_ERROR_MEMORY: not told. `permutation`: a family's name, NULL: the default one. */
floe_status device_cache_make(struct gpu *gpu, struct gpu_budget *budget, const struct device_cache_shape *shape,
                        const char *permutation, unsigned key_bits, struct device_cache *out);
void device_cache_free(struct gpu *gpu, struct device_cache *device_cache); /* one that was not made is allowed */

#endif
