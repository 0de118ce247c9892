/* Device cache of a host-backed visited set: the newest keys, in level 1 of an iceberg table alone. A full bucket
   replaces a key. Keys in the cache are in the set; other keys may be. */
#ifndef FLOE_GPU_HOST_BACKED_DEVICE_CACHE_H
#define FLOE_GPU_HOST_BACKED_DEVICE_CACHE_H

#include "gpu/driver/memory.h"
#include "tables/kernel/iceberg.h"

struct device_cache_shape {
  struct geometry geometry; /* kernels need a level 2 here; it does not exist */
  uint64_t buckets, slots, bytes;
};

/* The most slots that fit in so many bytes, as far as keys can use them. False: not even one bucket of slots that hold
   the remainders fits. */
bool device_cache_plan(unsigned key_bits, uint64_t bytes, struct device_cache_shape *out);

struct device_cache {
  struct device_cache_shape shape;
  struct gpu_region memory;
  struct iceberg view; /* for kernels */
};

/* Allocates an empty cache, in the stream. FLOE_ERROR_MEMORY: not logged. `permutation`: name of a family; NULL: the
   default one. */
floe_status device_cache_make(struct gpu *gpu, struct gpu_budget *budget, const struct device_cache_shape *shape,
                              const char *permutation, unsigned key_bits, struct device_cache *out);
void device_cache_free(struct gpu *gpu, struct device_cache *device_cache); /* also one that was not made */

#endif
