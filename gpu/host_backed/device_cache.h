/* The newest keys of a visited set of two levels, on the device: level 1 of an iceberg table alone, which forgets a key
   where it has no room for another. What it knows is in the set; what it does not know may be. */
#ifndef FLOE_GPU_NEWEST_H
#define FLOE_GPU_NEWEST_H

#include "gpu/driver/memory.h"
#include "tables/kernel/iceberg.h"

struct newest_shape {
  struct geometry geometry; /* of level 2: as kernels want one, it is not there */
  uint64_t buckets, slots, bytes;
};

/* The most slots that so many bytes have; no more than all keys need. False: too few for one bucket of any width that
   holds the remainders. */
bool newest_plan(unsigned key_bits, uint64_t bytes, struct newest_shape *out);

struct newest {
  struct newest_shape shape;
  struct gpu_region memory;
  struct iceberg view; /* for kernels */
};

/* Empty, in the stream. FLOE_ERROR_MEMORY: not told. `permutation`: a family's name, NULL: the default one. */
floe_status newest_make(struct gpu *gpu, struct gpu_budget *budget, const struct newest_shape *shape,
                        const char *permutation, unsigned key_bits, struct newest *out);
void newest_free(struct gpu *gpu, struct newest *newest); /* one that was not made is allowed */

#endif
