/* Export and import of a table's keys as arrays, for checkpoints. The text follows that of the visited set, which
   defines
     content_slots   number of slots over all levels
     content_key     the key in slot i; false: none. Consecutive slots are in the same bucket, or in consecutive ones */
#ifndef FLOE_GPU_CONTENT_H
#define FLOE_GPU_CONTENT_H

#ifdef FLOE_KEY_TRANSFER
/* A warp exports GPU_STRIP slots at a time, in order. */
GPU_KERNEL(floe_export_keys, GPU_BLOCK, 2)
(GPU_PARAMETER FLOE_VISITED from, uint64_t first, uint64_t n, uint64_t *keys, uint32_t *counts) {
  const unsigned lane = gpu_thread() % GPU_WARP;
  const uint64_t slots = content_slots(&from), left = slots > first ? slots - first : 0, most = n < left ? n : left;
  GPU_ROLLED
  for (uint64_t strip = warp_number(); strip * GPU_STRIP < n; strip += warp_count()) {
    uint32_t count = 0;
    GPU_ROLLED
    for (uint32_t i = lane; i < GPU_STRIP; i += GPU_WARP) {
      const uint64_t at = strip * GPU_STRIP + i;
      uint64_t key = 0;
      const bool has = at < most && content_key(&from, first + at, &key);
      gpu_sync_warp();
      count = keys_stage(keys + strip * GPU_STRIP, count, key, has, lane);
    }
    if (lane == 0)
      counts[strip] = count;
  }
}

GPU_KERNEL(floe_import_keys, GPU_BLOCK, 2)
(GPU_PARAMETER FLOE_VISITED to, const uint64_t *keys, uint64_t n, struct gpu_control *control) {
  GPU_SHARED(struct block_staging, block);
  struct warp w = {0};
  w.table = &to;
  w.staging = &block->staging[gpu_thread() / GPU_WARP];
  w.lane = gpu_thread() % GPU_WARP;
  bool more = true;
  GPU_ROLLED
  for (uint64_t at = warp_number() * GPU_WARP; more; at += warp_count() * GPU_WARP) {
    more = at < n;
    const bool mine = more && w.lane < n - at;
    const uint64_t key = mine ? keys[at + w.lane] : 0;
    gpu_sync_warp();
    w.pending = keys_stage(w.staging->pending, w.pending, key, mine, w.lane);
    warp_flush(&w, 0, 0, 0, !more);
  }
  add_moved(&w, control);
}
#endif

#endif
