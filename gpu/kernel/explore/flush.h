/* Staging of keys in a warp, in shared memory, until there are 32 for each kind of work:
     pending   to be looked up
     retry     neither found nor put by the first probe, which is short: to be looked up again
     fresh     new states, to be appended to the queue; of a host-backed set: candidates
   Thus find-or-put uses all lanes, and the queue is written 256 bytes at a time with one atomic. */
#ifndef FLOE_GPU_SETTLE_H
#define FLOE_GPU_SETTLE_H

#include "gpu/kernel/base/warp.h"

/* Each array has room for the rest of a round and one more round. */
struct staging {
  uint64_t pending[2 * GPU_WARP], retry[2 * GPU_WARP], fresh[2 * GPU_WARP];
};

/* ---- one round of each kind of work -------------------------------------------------------------- */

KERNEL_FN void append_fresh(struct warp *w) {
  uint32_t active;
  const uint64_t key = keys_take(w->staging->fresh, &w->fresh, w->lane, &active);
  const uint32_t n = count_bits(active);
  uint64_t position = 0;
  if (w->lane == 0)
    position = queue_append(w->space->control, w->level, n);
  position = gpu_shuffle64(position, 0);
  if (active >> w->lane & 1) {
#ifdef FLOE_DEVICE_CACHE
    const uint64_t at = position + w->lane;
    *(at < w->space->candidate_room ? &w->space->candidates[at] : &w->space->pending[at - w->space->candidate_room]) =
        key;
#else
    w->space->ring[(position + w->lane) & w->space->ring_mask] = key;
    *w->checksum += queued_mix(w->space, key);
#endif
  }
  const uint32_t why = w->level ? beyond_limits(w->level, position + n) : 0;
  if (why && w->lane == 0)
    request_stop(w->space->control, w->level, why);
}

/* Keys without a slot go to `pending` in global memory. */
KERNEL_FN void append_refused(struct warp *w, uint64_t key, bool has) {
  const uint32_t mask = gpu_ballot(has);
  if (mask == 0)
    return;
  const uint64_t position = keys_append(&w->space->control->pending_count, count_bits(mask), w->lane);
  if (has)
    w->space->pending[position + count_bits(mask & ((UINT32_C(1) << w->lane) - 1))] = key;
  if (w->level && w->lane == 0)
    request_stop(w->space->control, w->level, GPU_EXIT_FULL);
}

/* Processes the table's answers for the lanes' keys. */
KERNEL_FN void process_answers(struct warp *w, uint64_t key, uint32_t active, unsigned answer, bool last) {
  const bool mine = active >> w->lane & 1, full = mine && answer == VISITED_FULL;
  if (w->space) {
    w->fresh = keys_stage(w->staging->fresh, w->fresh, key, mine && answer == VISITED_PUT, w->lane);
    log_keys(w, key, mine && !full);
  } else {
    w->put += mine && answer == VISITED_PUT;
    w->found += mine && answer == VISITED_FOUND;
    w->refused += last && full;
  }
  if (!last)
    w->retry = keys_stage(w->staging->retry, w->retry, key, full, w->lane);
  else if (w->space)
    append_refused(w, key, full);
}

KERNEL_FN void look_up_retry(struct warp *w) {
  uint32_t active;
  const uint64_t key = keys_take(w->staging->retry, &w->retry, w->lane, &active);
  process_answers(w, key, active, visited_retry(w->table, key_of_set(w, key), active, w->lane), true);
}

KERNEL_FN void look_up(struct warp *w, uint64_t key, uint32_t active) {
  process_answers(w, key, active, visited_first(w->table, key_of_set(w, key), active, w->lane), false);
}

/* Key k of the lane's buffer. False: it has no root yet (states of several words), and was appended to tree_pending. */
#ifdef FLOE_MULTIWORD
enum { MAY_LACK_KEYS = 1 };
KERNEL_FN bool buffer_key(struct warp *w, const uint64_t *buffer, uint32_t k, uint64_t *key) {
  const uint64_t *const words = buffer + k * (uint32_t)MULTIWORD_WORDS;
  if (multiword_root(w->space, w->state, words, key))
    return true;
  multiword_append_pending(w->space, words);
  request_stop(w->space->control, w->level, GPU_EXIT_TREE);
  return false;
}
#else
enum { MAY_LACK_KEYS = 0 };
KERNEL_FN bool buffer_key(struct warp *w, const uint64_t *buffers, uint32_t k, uint64_t *key) {
  *key = buffers[k * GPU_WARP + w->lane];
  return true;
}
#endif

/* The lanes' successor buffers, read row by row: lane i has n keys, key k at buffers[32 k + i]; `next` rows are
   consumed. */
struct buffer_rows {
  const uint64_t *buffers;
  uint32_t n, next;
};

/* The next keys to look up, from `pending` and from the lanes' buffers. False: only keys remain that may stay staged.
 */
KERNEL_FN bool next_keys(struct warp *w, struct buffer_rows *rows, bool all, uint64_t *key, uint32_t *active) {
  for (;;) {
    uint64_t mine = 0;
    const bool more = rows->next < rows->n, has = more && buffer_key(w, rows->buffers, rows->next, &mine);
    const uint32_t mask = gpu_ballot(has);
    const bool over = MAY_LACK_KEYS ? gpu_ballot(more) == 0 : mask == 0;
    ++rows->next;
    if (mask == ALL_LANES) {
      *key = mine;
      *active = mask;
      return true;
    }
    if (mask)
      w->pending = keys_stage(w->staging->pending, w->pending, mine, has, w->lane);
    if (w->pending >= GPU_WARP || (all && over && w->pending)) {
      *key = keys_take(w->staging->pending, &w->pending, w->lane, active);
      return true;
    }
    if (over)
      return false;
  }
}

/* See gpu/kernel/base/warp.h. Less than a round of each kind stays staged. Each kind of work occurs once in the code,
   because each is long; each leaves room for the keys that the next one may stage. */
KERNEL_FN void warp_flush(struct warp *w, const uint64_t *buffers, uint32_t n, unsigned most, bool all) {
  struct buffer_rows rows = {buffers, n, 0};
  bool keys_left = true;
  (void)most;
  GPU_ROLLED
  for (;;) {
    const bool last = all && !keys_left;
    if (w->fresh >= GPU_WARP || (last && w->fresh && !w->retry)) {
      append_fresh(w);
    } else if (w->retry >= GPU_WARP || (last && w->retry)) {
      look_up_retry(w);
    } else if (keys_left) {
      uint64_t key;
      uint32_t active;
      keys_left = next_keys(w, &rows, all, &key, &active);
      if (keys_left)
        look_up(w, key, active);
    } else {
      break;
    }
  }
}

#endif
