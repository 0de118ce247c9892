/* The compiled forms of the iceberg kernel: one per geometry and instruction set. */
#ifndef FLOE_TABLE_INSTANCES_H
#define FLOE_TABLE_INSTANCES_H

#include "table/kernel/iceberg.h"

#include <stddef.h>

/* X(primary slot bits, primary bucket slots, secondary slot bits). A secondary slot holds at most 4 bits more than a
   primary one (a quarter as many buckets, rounded up, and one flag), so the pairs of widths are all there are. */
#define ICEBERG_INSTANCES(X)                                                                       \
  X(16, 8, 16) X(16, 16, 16) X(16, 32, 16)                                                         \
  X(16, 8, 32) X(16, 16, 32) X(16, 32, 32)                                                         \
  X(32, 8, 32) X(32, 16, 32) X(32, 32, 32)                                                         \
  X(32, 8, 64) X(32, 16, 64) X(32, 32, 64)                                                         \
  X(64, 8, 64) X(64, 16, 64) X(64, 32, 64)
enum { ICEBERG_INSTANCE_COUNT = 15 };

/* answers[i] for keys[i]; returns the number of FULL. `find` answers FOUND, or FULL when absent. */
typedef size_t iceberg_batch(const struct iceberg *table, const uint64_t *keys, size_t n,
                             uint8_t *answers);

struct iceberg_instance {
  struct geometry geometry;
  iceberg_batch *find_or_put, *find;
};

struct iceberg_operations {
  const char *simd;
  struct iceberg_instance instance[ICEBERG_INSTANCE_COUNT];
};

extern const struct iceberg_operations iceberg_portable;
#ifdef __x86_64__
extern const struct iceberg_operations iceberg_avx2, iceberg_avx512;
#endif

/* The best form that this machine runs; or the one named, NULL when the machine does not have it. */
const struct iceberg_operations *iceberg_operations_find(const char *simd);

#endif
