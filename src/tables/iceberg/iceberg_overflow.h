/* Expected number of keys at level 3, which determines its size. */
#ifndef FLOE_TABLES_ICEBERG_ICEBERG_OVERFLOW_H
#define FLOE_TABLES_ICEBERG_ICEBERG_OVERFLOW_H

#include "tables/table.h"

/* Expected number of `keys` put for which levels 1 and 2 of a large table have no place, if permutations are as good
   as random. Reads only the numbers and sizes of buckets of `shape`. */
double overflow_expected(const struct table_shape *shape, double keys);

#endif
