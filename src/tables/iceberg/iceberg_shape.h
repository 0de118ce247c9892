/* Shape of an iceberg table, and the offsets of its parts in memory. */
#ifndef FLOE_TABLES_ICEBERG_ICEBERG_SHAPE_H
#define FLOE_TABLES_ICEBERG_ICEBERG_SHAPE_H

#include "tables/table.h"

/* table_plan of the scheme: the layout of least cost. */
floe_status iceberg_plan(const struct table_config *config, struct table_shape *out);

/* Byte offsets of the levels, each at a cache line. `last_key`: slot of the key 2^64 - 1 at level 3, followed by
   that of 2^64 - 2 if the table has deletion. `values`: values of the slots in the order of the levels, if any. With
   a user's reduction more follows at `end`: a byte for each slot that marks its value as written. */
struct table_offsets {
  uint64_t second, third, last_key, values, end;
};
struct table_offsets table_offsets(const struct table_shape *shape);

/* Keys that level 3 cannot encode, each with a slot of its own: 2^64 - 1, and with tombstones 2^64 - 2. */
enum { MOST_LAST_KEYS = 2 };
static inline unsigned last_keys(const struct table_shape *shape) {
  return shape->key_bits == 64 ? 1 + shape->deletes : 0;
}

/* The numbers of the first slots of levels 2 and 3. */
static inline uint64_t second_begin_of(const struct table_shape *shape) { return shape->buckets * shape->bucket_slots; }
static inline uint64_t third_begin_of(const struct table_shape *shape) {
  return second_begin_of(shape) + shape->second_buckets * shape->second_bucket_slots;
}

#endif
