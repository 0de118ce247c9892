/* The portable form of the cuckoo batches. */
#define CUCKOO_OPERATIONS cuckoo_portable
#define SIMD_NAME "portable"
#include "tables/cuckoo/cuckoo_instances.h"
