/* Every scan of a form, and the loads of single slots, as separate functions, for scans.sh, which checks the object
   code. KERNEL_SCAN is the form's header; scan_BITS_SLOTS reads SLOTS slots of BITS bits. */
#include "tables/kernel/shim.h"

#define SCAN(BITS, SLOTS)                                                                                              \
  struct scan scan_##BITS##_##SLOTS(const void *bucket, uint64_t wanted);                                              \
  struct scan scan_##BITS##_##SLOTS(const void *bucket, uint64_t wanted) {                                             \
    return scan_bucket(bucket, SLOTS, BITS, wanted);                                                                   \
  }
/* clang-format off */
SCAN(16, 4) SCAN(16, 8) SCAN(16, 16) SCAN(16, 32)
SCAN(21, 3) SCAN(21, 6) SCAN(21, 12) SCAN(21, 24)
SCAN(32, 4) SCAN(32, 8) SCAN(32, 16) SCAN(32, 32)
SCAN(64, 4) SCAN(64, 8) SCAN(64, 16) SCAN(64, 32)
/* clang-format on */

/* Uses the loaded value twice. */
#define LOAD(BITS)                                                                                                     \
  unsigned load_##BITS##_1(const void *slots, uint64_t wanted, uint64_t i);                                            \
  unsigned load_##BITS##_1(const void *slots, uint64_t wanted, uint64_t i) {                                           \
    const uint64_t seen = slot_load(slots, i, BITS);                                                                   \
    return (unsigned)(seen == 0) << 1 | (unsigned)(seen == wanted);                                                    \
  }
        LOAD(16) LOAD(21) LOAD(32) LOAD(64)
