/* The compiled forms of the iceberg kernel: one per geometry and instruction set. */
#ifndef FLOE_TABLES_ICEBERG_ICEBERG_FORMS_H
#define FLOE_TABLES_ICEBERG_ICEBERG_FORMS_H

#include "tables/kernel/iceberg.h"

#include <stddef.h>

/* X(primary slot bits, primary bucket slots, secondary slot bits, secondary bucket slots). Slots of 21 bits are for
   keys of about 35 to 40 bits in tables of millions of slots; there a secondary bucket of few slots gives many
   buckets, and so remainders that fit. Elsewhere secondary buckets have half the slots, as in the paper. A secondary
   level has at least so many buckets that its remainders fit. If several geometries fit, a later one is chosen only
   if it costs clearly less than all before it (tables/iceberg/iceberg_shape.c). */
/* clang-format off */
#define ICEBERG_INSTANCES(X)                                                                       \
  X(16, 32, 32, 16) X(16, 32, 16, 16)                                                              \
  X(21, 24, 21, 12) X(21, 24, 21, 6) X(21, 24, 21, 3)                                              \
  X(21, 12, 21, 6) X(21, 12, 21, 3) X(21, 12, 32, 8)                                               \
  X(16, 16, 32, 8) X(16, 16, 16, 8)                                                                \
  X(32, 32, 64, 16) X(32, 32, 32, 16)                                                              \
  X(16, 8, 32, 4) X(16, 8, 16, 4)                                                                  \
  X(32, 16, 64, 8) X(32, 16, 32, 8) X(32, 8, 64, 4) X(32, 8, 32, 4)                                \
  X(64, 16, 64, 8) X(64, 32, 64, 16) X(64, 8, 64, 4)
/* clang-format on */
#define ICEBERG_COUNT(SLOT, BUCKET, SECOND, SECOND_BUCKET) +1
enum { ICEBERG_INSTANCE_COUNT = 0 ICEBERG_INSTANCES(ICEBERG_COUNT) };

/* answers[i] for keys[i]. `find_or_put` returns the number of FULL; `find` answers FOUND, or FULL if absent, and
   returns no meaningful number. */
typedef size_t iceberg_batch(const struct iceberg *table, const uint64_t *keys, size_t n, uint8_t *answers);

/* The same with the slot number of each key, UINT64_MAX if it has none; put: find-or-put. */
typedef size_t iceberg_placements(const struct iceberg *table, const uint64_t *keys, size_t n, uint8_t *answers,
                                  uint64_t *slots, bool put);

struct iceberg_instance {
  struct geometry geometry;
  iceberg_batch *find_or_put, *find;
  iceberg_placements *placements;
};

struct iceberg_operations {
  const char *simd;
  struct iceberg_instance instance[ICEBERG_INSTANCE_COUNT];
};

extern const struct iceberg_operations iceberg_portable;
#ifdef __x86_64__
extern const struct iceberg_operations iceberg_avx2, iceberg_avx512;
#endif

#endif
