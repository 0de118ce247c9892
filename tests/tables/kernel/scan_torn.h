/* A bucket scan of two loads with another thread's operation between them; for test_first_empty_slot.c. */
static void (*between_loads)(void);

KERNEL_FN struct scan scan_half(const void *bucket, unsigned begin, unsigned end, unsigned bits, uint64_t wanted) {
  struct scan scan = {0, 0};
  for (unsigned i = begin; i < end; i++) {
    uint64_t seen = slot_load(bucket, i, bits);
    scan.match |= (uint32_t)(seen == wanted) << i;
    scan.empty |= (uint32_t)(seen == 0) << i;
  }
  return scan;
}

static struct scan scan_bucket(const void *bucket, unsigned slots, unsigned bits, uint64_t wanted) {
  struct scan low = scan_half(bucket, 0, slots / 2, bits, wanted);
  if (between_loads)
    between_loads();
  struct scan high = scan_half(bucket, slots / 2, slots, bits, wanted);
  struct scan scan = {low.match | high.match, low.empty | high.empty};
  return scan;
}
