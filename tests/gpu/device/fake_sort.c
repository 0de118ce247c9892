/* Fake sort module for a device in host memory (fake_cuda.c), with the interface of gpu/table/sort.cu. With more than
 * 1000 keys it returns a launch failure. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { INVALID_VALUE = 1, LAUNCH_FAILED = 719, TEMPORARY = 24 };

static uint64_t mask;

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a & mask, y = *(const uint64_t *)b & mask;
  return (x > y) - (x < y);
}

__attribute__((visibility("default"))) int floe_device_sort(uint64_t *keys, uint64_t *alternate, uint64_t n,
                                                            unsigned bits, void *temporary, size_t *temporary_bytes,
                                                            void *stream) {
  (void)stream;
  if (!temporary) {
    *temporary_bytes = TEMPORARY;
    return 0;
  }
  if (*temporary_bytes < TEMPORARY || !alternate)
    return INVALID_VALUE;
  if (n > 1000)
    return LAUNCH_FAILED;
  mask = UINT64_MAX >> (64 - bits);
  qsort(keys, n, sizeof *keys, compare);
  return 0;
}
