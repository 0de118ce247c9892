/* The iceberg kernel in standard C with atomics. */
#define ICEBERG_OPERATIONS iceberg_portable
#define SIMD_NAME "portable"
#include "table/iceberg_instances.h"
