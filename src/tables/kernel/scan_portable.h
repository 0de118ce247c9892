/* Bucket scan, portable form: slot by slot with atomic loads, up to the match or the first empty slot. Slots after
   the first empty one are not read and are reported as empty. ThreadSanitizer needs this form: it reports vector
   loads of slots that other threads write. */
#ifndef FLOE_TABLES_KERNEL_SCAN_PORTABLE_H
#define FLOE_TABLES_KERNEL_SCAN_PORTABLE_H

#ifndef KERNEL_ROLLED /* before a loop that the compiler must not unroll */
#define KERNEL_ROLLED
#endif

KERNEL_FN struct scan scan_bucket(const void *bucket, unsigned slots, unsigned bits, uint64_t wanted) {
  struct scan scan = {0, 0};
  KERNEL_ROLLED
  for (unsigned i = 0; i < slots; i++) {
    uint64_t seen = slot_load(bucket, i, bits);
    if (seen == wanted) {
      scan.match = UINT32_C(1) << i;
      break;
    }
    if (seen == 0) {
      scan.empty = (UINT32_MAX >> (32 - slots)) & (UINT32_MAX << i);
      break;
    }
  }
  return scan;
}

#endif
