/* Where the parts of a table of a given shape lie in its memory. */
#ifndef FLOE_TABLE_SHAPE_H
#define FLOE_TABLE_SHAPE_H

#include "table/table.h"

/* Byte offsets of the levels, each at a cache line; `last_key` is the slot of the key 2^64 - 1 at level 3. */
struct table_offsets {
  uint64_t second, third, last_key, end;
};
struct table_offsets table_offsets(const struct table_shape *shape);

#endif
