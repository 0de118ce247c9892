/* Linear probing in standard C with atomics. */
#define LINEAR_OPERATIONS linear_portable
#define SIMD_NAME "portable"
#include "tables/linear/linear_batch.h"
