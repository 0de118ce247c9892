/* Flushing of successor buffers to a bitmap and to the queue. A lane looks up all keys of its buffer at once:
   combining keys of several lanes would gain nothing, and there is no retry. New states are staged in shared memory
   until there are five times 32, and are appended to the queue with one atomic. With one atomic for each 32, the
   single address that all warps increment would limit the search to some 12 G states/s. */
#ifndef FLOE_GPU_BITMAP_SETTLE_H
#define FLOE_GPU_BITMAP_SETTLE_H

#include "gpu/kernel/base/warp.h"

enum {
  BITMAP_STAGED = 6 * GPU_WARP,
  BITMAP_FLUSH_AT = BITMAP_STAGED - GPU_WARP /* flushed at this count: there is room for 32 more */
};

/* Keys to be looked up (filling a table) or new states (exploration): never both. */
struct staging {
  union {
    uint64_t pending[BITMAP_STAGED], fresh[BITMAP_STAGED];
  };
};

/* ---- new states ---------------------------------------------------------------------------------- */

KERNEL_FN void append_fresh(struct warp *w) {
  const uint32_t n = w->fresh;
  uint64_t position = 0, sum = 0;
  gpu_sync_warp(); /* keys staged by other lanes are visible */
  if (w->lane == 0)
    position = queue_append(w->space->control, w->level, n);
  position = gpu_shuffle64(position, 0);
  GPU_ROLLED
  for (uint32_t i = w->lane; i < n; i += GPU_WARP) {
    const uint64_t key = w->staging->fresh[i];
    w->space->ring[(position + i) & w->space->ring_mask] = key;
    sum += queued_mix(w->space, key);
  }
  *w->checksum += sum;
  w->fresh = 0;
  const uint32_t why = w->level ? beyond_limits(w->level, position + n) : 0;
  if (why && w->lane == 0)
    request_stop(w->space->control, w->level, why);
  gpu_sync_warp(); /* before others overwrite the keys */
}

KERNEL_FN void stage_fresh(struct warp *w, uint64_t key, bool has) {
  const uint32_t mask = gpu_ballot(has);
  if (has)
    w->staging->fresh[w->fresh + count_bits(mask & ((UINT32_C(1) << w->lane) - 1))] = key;
  w->fresh += count_bits(mask);
}

/* Processes the table's answers for the lanes' keys, one each; a bitmap refuses none. */
KERNEL_FN void process_answers(struct warp *w, uint64_t key, uint32_t active, unsigned answer, bool last) {
  const bool mine = active >> w->lane & 1;
  (void)last;
  stage_fresh(w, key, mine && answer == VISITED_PUT);
  log_keys(w, key, mine);
}

/* ---- looking up ---------------------------------------------------------------------------------- */

/* Lane i has n keys, key k at buffers[32 k + i]. */
KERNEL_FN void flush_buffers(struct warp *w, const uint64_t *buffers, uint32_t n, unsigned most) {
  const uint32_t put = lane_put_all(w->table, buffers + w->lane, n, most);
  gpu_sync_warp();
  GPU_ROLLED
  for (uint32_t k = 0; k < most; k++) {
    const bool mine = k < n;
    const uint64_t key = mine ? buffers[k * GPU_WARP + w->lane] : 0;
    stage_fresh(w, key, put >> k & 1);
    log_keys(w, key, mine);
    if (w->fresh >= BITMAP_FLUSH_AT)
      append_fresh(w);
  }
}

/* Without a queue: the answers are counted. */
KERNEL_FN void flush_pending(struct warp *w) {
  const uint32_t n = w->pending > w->lane ? (w->pending - w->lane - 1) / GPU_WARP + 1 : 0;
  const uint32_t put = count_bits(lane_put_all(w->table, w->staging->pending + w->lane, n, BITMAP_STAGED / GPU_WARP));
  w->put += put;
  w->found += n - put;
  w->pending = 0;
  gpu_sync_warp(); /* before others overwrite the keys */
}

/* See gpu/kernel/base/warp.h. */
KERNEL_FN void warp_flush(struct warp *w, const uint64_t *buffers, uint32_t n, unsigned most, bool all) {
  if (most)
    flush_buffers(w, buffers, n, most);
  else if (w->pending >= BITMAP_FLUSH_AT || (all && w->pending))
    flush_pending(w);
  if (all && w->fresh)
    append_fresh(w);
}

#endif
