/* Keys on their way through a warp. They wait in shared memory until there are 32 for each kind of work:
     open    to be looked up
     late    not found and not put at the first look, which is short: to be looked up once more
     fresh   new states, to be appended to the queue; of a set of two levels those that may be new
   so that find-or-put always has all lanes busy and the queue is written 256 bytes at a time, with one atomic. */
#ifndef FLOE_GPU_SETTLE_H
#define FLOE_GPU_SETTLE_H

#include "gpu/kernel/base/warp.h"

/* Each has room for what is left of a round and one more. */
struct held {
  uint64_t open[2 * GPU_WARP], late[2 * GPU_WARP], fresh[2 * GPU_WARP];
};

/* ---- one round of each kind of work -------------------------------------------------------------- */

KERNEL_FN void append_fresh(struct warp *w) {
  uint32_t active;
  const uint64_t key = keys_take(w->held->fresh, &w->fresh, w->lane, &active);
  const uint32_t n = count_bits(active);
  uint64_t position = 0;
  if (w->lane == 0)
    position = queue_append(w->space->control, w->level, n);
  position = gpu_shuffle64(position, 0);
  if (active >> w->lane & 1) {
#ifdef FLOE_TWO_LEVELS
    const uint64_t at = position + w->lane;
    *(at < w->space->candidate_room ? &w->space->candidates[at] : &w->space->pending[at - w->space->candidate_room]) = key;
#else
    w->space->ring[(position + w->lane) & w->space->ring_mask] = key;
    *w->checksum += waiting_mix(w->space, key);
#endif
  }
  const uint32_t why = w->level ? beyond_limits(w->level, position + n) : 0;
  if (why && w->lane == 0)
    request_stop(w->space->control, w->level, why);
}

/* Keys without any place. */
KERNEL_FN void refuse(struct warp *w, uint64_t key, bool said) {
  const uint32_t mask = gpu_ballot(said);
  if (mask == 0)
    return;
  const uint64_t position = keys_append(&w->space->control->pending_count, count_bits(mask), w->lane);
  if (said)
    w->space->pending[position + count_bits(mask & ((UINT32_C(1) << w->lane) - 1))] = key;
  if (w->level && w->lane == 0)
    request_stop(w->space->control, w->level, GPU_EXIT_FULL);
}

/* What the table said of the lanes' keys. */
KERNEL_FN void take_answers(struct warp *w, uint64_t key, uint32_t active, unsigned answer, bool last) {
  const bool mine = active >> w->lane & 1, full = mine && answer == VISITED_FULL;
  if (w->space) {
    w->fresh = keys_hold(w->held->fresh, w->fresh, key, mine && answer == VISITED_PUT, w->lane);
    log_keys(w, key, mine && !full);
  } else {
    w->put += mine && answer == VISITED_PUT;
    w->found += mine && answer == VISITED_FOUND;
    w->refused += last && full;
  }
  if (!last)
    w->late = keys_hold(w->held->late, w->late, key, full, w->lane);
  else if (w->space)
    refuse(w, key, full);
}

KERNEL_FN void look_up_late(struct warp *w) {
  uint32_t active;
  const uint64_t key = keys_take(w->held->late, &w->late, w->lane, &active);
  take_answers(w, key, active, visited_later(w->table, key_of_set(w, key), active, w->lane), true);
}

KERNEL_FN void look_up(struct warp *w, uint64_t key, uint32_t active) {
  take_answers(w, key, active, visited_first(w->table, key_of_set(w, key), active, w->lane), false);
}

/* Number k of the lane's column. False: there is no key for it (states of several words), and it was put aside. */
#ifdef FLOE_MULTIWORD
enum { MAY_LACK_KEYS = 1 };
KERNEL_FN bool column_key(struct warp *w, const uint64_t *column, uint32_t k, uint64_t *key) {
  const uint64_t *const words = column + k * (uint32_t)MULTIWORD_WORDS;
  if (multiword_root(w->space, w->state, words, key))
    return true;
  multiword_refuse(w->space, words);
  request_stop(w->space->control, w->level, GPU_EXIT_TREE);
  return false;
}
#else
enum { MAY_LACK_KEYS = 0 };
KERNEL_FN bool column_key(struct warp *w, const uint64_t *columns, uint32_t k, uint64_t *key) {
  *key = columns[k * GPU_WARP + w->lane];
  return true;
}
#endif

/* The lanes' successor buffers, read row by row: lane i has n keys, number k at buffers[32 k + i], of which `next` are
   taken. */
struct buffer_rows {
  const uint64_t *buffers;
  uint32_t n, next;
};

/* The next keys to look up, from `pending` and from the lanes' buffers. False: only keys remain that may stay staged. */
KERNEL_FN bool next_keys(struct warp *w, struct buffer_rows *rows, bool all, uint64_t *key, uint32_t *active) {
  for (;;) {
    uint64_t mine = 0;
    const bool more = rows->next < rows->n, has = more && column_key(w, rows->buffers, rows->next, &mine);
    const uint32_t mask = gpu_ballot(has);
    const bool over = MAY_LACK_KEYS ? gpu_ballot(more) == 0 : mask == 0;
    ++rows->next;
    if (mask == ALL_LANES) {
      *key = mine;
      *active = mask;
      return true;
    }
    if (mask)
      w->open = keys_hold(w->held->open, w->open, mine, has, w->lane);
    if (w->open >= GPU_WARP || (all && over && w->open)) {
      *key = keys_take(w->held->open, &w->open, w->lane, active);
      return true;
    }
    if (over)
      return false;
  }
}

/* See gpu/kernel/base/warp.h: less than a round of each kind is held back. Every kind of
   work stands here once, as each is much code; each leaves room for what the next may add. */
KERNEL_FN void warp_flush(struct warp *w, const uint64_t *columns, uint32_t n, unsigned most, bool all) {
  struct buffer_rows rows = {columns, n, 0};
  bool keys_left = true;
  (void)most;
  GPU_ROLLED
  for (;;) {
    const bool last = all && !keys_left;
    if (w->fresh >= GPU_WARP || (last && w->fresh && !w->late)) {
      append_fresh(w);
    } else if (w->late >= GPU_WARP || (last && w->late)) {
      look_up_late(w);
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
