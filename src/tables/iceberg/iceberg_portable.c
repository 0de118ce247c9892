/* The iceberg kernel in standard C with atomics. */
#define ICEBERG_OPERATIONS iceberg_portable
#define SIMD_NAME "portable"
#include "tables/iceberg/iceberg_instances.h"
