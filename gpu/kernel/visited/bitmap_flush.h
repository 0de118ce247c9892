/* Keys on their way through a warp to a bitmap and to the queue. A lane looks up what is in its column by itself, all
   of it at once: there is nothing that would be gained by keys of other lanes, and no key is looked up later. New
   states wait in shared memory until there are five times 32, and go to the queue with one atomic: with one for each
   32, the one address that all warps add to would allow no more than some 12 G states/s. */
#ifndef FLOE_GPU_BITMAP_SETTLE_H
#define FLOE_GPU_BITMAP_SETTLE_H

#include "gpu/kernel/base/warp.h"

enum {
  BITMAP_HELD = 6 * GPU_WARP,
  BITMAP_MANY = BITMAP_HELD - GPU_WARP /* from here on they are worked on: there is room for 32 more */
};

/* Keys to be looked up where a table is filled, new states where there is a queue: never both. */
struct held {
  union {
    uint64_t open[BITMAP_HELD], fresh[BITMAP_HELD];
  };
};

/* ---- new states ---------------------------------------------------------------------------------- */

KERNEL_FN void append_fresh(struct warp *w) {
  const uint32_t n = w->fresh;
  uint64_t position = 0, sum = 0;
  gpu_sync_warp(); /* what other lanes hold there is seen */
  if (w->lane == 0)
    position = queue_append(w->space->control, w->level, n);
  position = gpu_shuffle64(position, 0);
  GPU_ROLLED
  for (uint32_t i = w->lane; i < n; i += GPU_WARP) {
    const uint64_t key = w->held->fresh[i];
    w->space->ring[(position + i) & w->space->ring_mask] = key;
    sum += waiting_mix(w->space, key);
  }
  *w->checksum += sum;
  w->fresh = 0;
  const uint32_t why = w->level ? beyond_limits(w->level, position + n) : 0;
  if (why && w->lane == 0)
    request_stop(w->space->control, w->level, why);
  gpu_sync_warp(); /* before others write there */
}

KERNEL_FN void hold_fresh(struct warp *w, uint64_t key, bool said) {
  const uint32_t mask = gpu_ballot(said);
  if (said)
    w->held->fresh[w->fresh + count_bits(mask & ((UINT32_C(1) << w->lane) - 1))] = key;
  w->fresh += count_bits(mask);
}

/* What the table said of the lanes' keys, one each; it refuses none. */
KERNEL_FN void take_answers(struct warp *w, uint64_t key, uint32_t active, unsigned answer, bool last) {
  const bool mine = active >> w->lane & 1;
  (void)last;
  hold_fresh(w, key, mine && answer == VISITED_PUT);
  log_keys(w, key, mine);
}

/* ---- looking up ---------------------------------------------------------------------------------- */

/* Lane i has n keys, number k at columns[32 k + i]. */
KERNEL_FN void settle_columns(struct warp *w, const uint64_t *columns, uint32_t n, unsigned most) {
  const uint32_t put = lane_put_all(w->table, columns + w->lane, n, most);
  gpu_sync_warp();
  GPU_ROLLED
  for (uint32_t k = 0; k < most; k++) {
    const bool mine = k < n;
    const uint64_t key = mine ? columns[k * GPU_WARP + w->lane] : 0;
    hold_fresh(w, key, put >> k & 1);
    log_keys(w, key, mine);
    if (w->fresh >= BITMAP_MANY)
      append_fresh(w);
  }
}

/* Where there is no queue: what came of them is counted. */
KERNEL_FN void settle_open(struct warp *w) {
  const uint32_t n = w->open > w->lane ? (w->open - w->lane - 1) / GPU_WARP + 1 : 0;
  const uint32_t put = count_bits(lane_put_all(w->table, w->held->open + w->lane, n, BITMAP_HELD / GPU_WARP));
  w->put += put;
  w->found += n - put;
  w->open = 0;
  gpu_sync_warp(); /* before others write there */
}

/* See gpu/kernel/base/warp.h. */
KERNEL_FN void warp_flush(struct warp *w, const uint64_t *columns, uint32_t n, unsigned most, bool all) {
  if (most)
    settle_columns(w, columns, n, most);
  else if (w->open >= BITMAP_MANY || (all && w->open))
    settle_open(w);
  if (all && w->fresh)
    append_fresh(w);
}

#endif
