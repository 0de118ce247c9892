/* The cuckoo batches compiled for each geometry. The including file defines CUCKOO_OPERATIONS, SIMD_NAME and, except
   for the portable form, KERNEL_SCAN. */
#include "tables/cuckoo/cuckoo_batch.h"

#define DEFINE(BITS, SLOTS)                                                                                            \
  static size_t put_##BITS##_##SLOTS(const struct cuckoo_batch *batch) {                                               \
    return batch_answer(batch, (struct cuckoo_geometry){BITS, SLOTS, (unsigned)batch->table->hashes}, true);           \
  }                                                                                                                    \
  static size_t find_##BITS##_##SLOTS(const struct cuckoo_batch *batch) {                                              \
    return batch_answer(batch, (struct cuckoo_geometry){BITS, SLOTS, (unsigned)batch->table->hashes}, false);          \
  }
CUCKOO_INSTANCES(DEFINE)

const struct cuckoo_operations CUCKOO_OPERATIONS = {.simd = SIMD_NAME,
                                                    .instance = {
#define ENTRY(BITS, SLOTS) {BITS, SLOTS, put_##BITS##_##SLOTS, find_##BITS##_##SLOTS},
                                                        CUCKOO_INSTANCES(ENTRY)}};
