/* The portable form of the cuckoo batches. */
#define CUCKOO_OPERATIONS cuckoo_portable
#define SIMD_NAME "portable"
#include "table/cuckoo_instances.h"
