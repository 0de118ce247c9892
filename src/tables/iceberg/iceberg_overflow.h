/* How many keys come to level 3: what its size is chosen by. */
#ifndef FLOE_TABLE_ICEBERG_OVERFLOW_H
#define FLOE_TABLE_ICEBERG_OVERFLOW_H

#include "tables/table.h"

/* The number of keys, of so many put, that levels 1 and 2 of a large table have no place for, when permutations are
   as good as random. Only the numbers and sizes of buckets of `shape` are read. */
double overflow_expected(const struct table_shape *shape, double keys);

#endif
