/* Where the parts of a table of a given shape lie in its memory. */
#ifndef FLOE_TABLE_SHAPE_H
#define FLOE_TABLE_SHAPE_H

#include "table/table.h"

/* Byte offsets of the levels, each at a cache line; `last_key` is the slot of the key 2^64 - 1 at level 3, and beside it
   with deletion that of 2^64 - 2. `values`: of the slots in the order of the levels, where there are any. With a user's
   reduction there is more at `end`: a byte for each slot that says that it has a value. */
struct table_offsets {
  uint64_t second, third, last_key, values, end;
};
struct table_offsets table_offsets(const struct table_shape *shape);

#endif
