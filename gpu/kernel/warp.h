/* Keys on their way through a warp. They wait in shared memory until there are 32 for each kind of work:
     open    to be looked up
     late    not found and not put at the first look, which is short: to be looked up once more
     fresh   new states, to be appended to the queue; of a set of two levels those that may be new
   so that find-or-put always has all lanes busy and the queue is written 256 bytes at a time, with one atomic.

   The text comes after that of a visited set (find_or_put.h, linear_find_or_put.h), which gives
     FLOE_VISITED    the struct that kernels get by value
     visited_first   of the lanes of `active`, each with a key: the first look. FULL: to be looked up later. All lanes
                     of the warp call it. Other lanes' answers mean nothing
     visited_later   the same for keys whose first look said FULL: what is missing of it. FULL: there is no place
     visited_alone   both looks for one key, by one lane: little code, and slow
     visited_find    is the key there? For kernels that put nothing
   With FLOE_TWO_LEVELS the set is the newest part of one of two levels (two_levels.h): visited_first never says FULL,
   and what it puts are candidates, which go to space->found. */
#ifndef FLOE_GPU_WARP_H
#define FLOE_GPU_WARP_H

#include "gpu/kernel/control.h"

#include "gpu/kernel/ranked.h"

/* enum iceberg_answer and enum linear_answer. */
enum visited_answer { VISITED_FOUND, VISITED_PUT, VISITED_FULL };

#define ALL_LANES 0xffffffffu

/* A warp's part of a grid: its number among `warps`. */
KERNEL_FN uint64_t warp_number(void) { return (uint64_t)gpu_block() * GPU_WARPS + gpu_thread() / GPU_WARP; }
KERNEL_FN uint64_t warp_count(void) { return (uint64_t)gpu_blocks() * GPU_WARPS; }

/* Each has room for what is left of a round and one more. */
struct held {
  uint64_t open[2 * GPU_WARP], late[2 * GPU_WARP], fresh[2 * GPU_WARP];
};

/* What the block's warps know of the level in work; in shared memory. While block 0 works alone this is the truth, and
   control's fields are of when it began: atomics on global memory would cost it more than the states do. */
struct level {
  union {
    struct gpu_level now;
    uint64_t words[GPU_LEVEL_WORDS + 1];
  };
  uint64_t ring_limit, grow_limit; /* positions of next_end that end the launch */
  uint64_t next_end;               /* alone: where the queue ended when the level began */
  uint32_t appended;               /* alone: states since then */
  uint32_t stop;                   /* alone: instead of control's */
  uint32_t alone;                  /* block 0 does it without the others */
  uint32_t whole;                  /* no more states than the warps take in one round: dealt out, without tickets */
  uint32_t share;                  /* states that a warp takes at once */
  uint32_t one_turn;               /* a warp takes states once */
  uint32_t parts, parts_log; /* warps of a block that share them: each fires a part of the transitions. 1, 2, 4, 8 */
};

/* A warp's own. Counts of keys held are the same in all lanes; the sums are each lane's. */
struct warp {
  const FLOE_VISITED *table;
  const struct gpu_space *space; /* NULL: keys are only put and counted */
  struct level *level;           /* NULL: no limits */
  struct held *held;
  unsigned lane;
  uint32_t open, late, fresh;
  uint64_t *checksum;           /* this lane's, in shared memory, as registers are short */
  uint32_t put, found, refused; /* answers, where space is NULL */
};

/* ---- places where keys wait -------------------------------------------------------------------- */

/* Adds the keys of the lanes that say so; returns the new count. */
KERNEL_FN uint32_t keys_hold(uint64_t *keys, uint32_t count, uint64_t key, bool said, unsigned lane) {
  const uint32_t mask = gpu_ballot(said);
  if (said)
    keys[count + count_bits(mask & ((UINT32_C(1) << lane) - 1))] = key;
  gpu_sync_warp(); /* other lanes read them */
  return count + count_bits(mask);
}

/* Takes up to 32, one a lane; *active: the lanes that have one. */
KERNEL_FN uint64_t keys_take(const uint64_t *keys, uint32_t *count, unsigned lane, uint32_t *active) {
  const uint32_t n = *count < GPU_WARP ? *count : (uint32_t)GPU_WARP;
  *count -= n;
  *active = UINT32_MAX >> (GPU_WARP - n); /* n > 0 */
  const uint64_t key = lane < n ? keys[*count + lane] : 0;
  gpu_sync_warp(); /* before others write there */
  return key;
}

/* Appends to an array in global memory, one atomic for the warp; returns the position of its first key. */
KERNEL_FN uint64_t keys_append(uint64_t *count, uint32_t n, unsigned lane) {
  uint64_t position = 0;
  if (lane == 0)
    position = gpu_add64(count, n);
  return gpu_shuffle64(position, 0);
}

/* ---- stopping ---------------------------------------------------------------------------------- */

#define TICKET_STOP (UINT64_C(1) << 63)

/* No warp takes further states; each finishes what it has. The first request notes where the level is to go on, unless
   all of it is dealt out. Called by one lane. */
KERNEL_FN void request_stop(struct gpu_control *control, struct level *level, uint32_t why) {
  if (level->alone)
    gpu_or32(&level->stop, why);
  else
    gpu_or32(&control->stop, why);
  if (level->whole)
    return;
  const uint64_t ticket = gpu_or64(&control->ticket, TICKET_STOP);
  if (!(ticket & TICKET_STOP))
    gpu_store64(&control->resume, ticket < level->now.current_end ? ticket : level->now.current_end);
}

/* What to stop for when the queue has grown up to `end`. */
KERNEL_FN uint32_t beyond_limits(const struct level *level, uint64_t end) {
  return (end >= level->ring_limit ? (uint32_t)GPU_LEFT_QUEUE : 0) |
         (end >= level->grow_limit ? (uint32_t)GPU_LEFT_GROW : 0);
}

KERNEL_FN bool log_is_nearly_full(const struct gpu_space *space, uint64_t count) {
  return count + gpu_load64(&space->control->slack) >= space->log_capacity;
}

/* ---- one round of each kind of work -------------------------------------------------------------- */

/* Room for n states at the queue's end; returns the first position. Called by one lane. */
KERNEL_FN uint64_t queue_append(struct gpu_control *control, struct level *level, uint32_t n) {
  if (level && level->alone)
    return level->next_end + gpu_add32(&level->appended, n);
  return gpu_add64(&control->next_end, n);
}

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
    *(at < w->space->found_room ? &w->space->found[at] : &w->space->pending[at - w->space->found_room]) = key;
#else
    w->space->ring[(position + w->lane) & w->space->ring_mask] = key;
    *w->checksum += state_mix(key);
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
    request_stop(w->space->control, w->level, GPU_LEFT_FULL);
}

KERNEL_FN void log_keys(struct warp *w, uint64_t key, bool said) {
#ifdef FLOE_LOG
  const uint32_t mask = gpu_ballot(said), n = count_bits(mask);
  if (mask == 0)
    return;
  const uint64_t position = keys_append(&w->space->control->log_count, n, w->lane);
  if (said)
    w->space->log[position + count_bits(mask & ((UINT32_C(1) << w->lane) - 1))] = key;
  if (w->level && w->lane == 0 && log_is_nearly_full(w->space, position + n))
    request_stop(w->space->control, w->level, GPU_LEFT_LOG);
#else
  (void)w, (void)key, (void)said;
#endif
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
  take_answers(w, key, active, visited_later(w->table, key, active, w->lane), true);
}

KERNEL_FN void look_up(struct warp *w, uint64_t key, uint32_t active) {
  take_answers(w, key, active, visited_first(w->table, key, active, w->lane), false);
}

/* The next keys to look up, of `open` and of the lanes' columns: lane i has n keys, number k at columns[32 k + i], of
   which *k are taken. False: no more than what may go on waiting. */
KERNEL_FN bool next_keys(struct warp *w, const uint64_t *columns, uint32_t n, uint32_t *k, bool all, uint64_t *key,
                         uint32_t *active) {
  for (;;) {
    const bool more = *k < n;
    const uint64_t mine = more ? columns[*k * GPU_WARP + w->lane] : 0;
    const uint32_t mask = gpu_ballot(more);
    ++*k;
    if (mask == ALL_LANES) {
      *key = mine;
      *active = mask;
      return true;
    }
    if (mask)
      w->open = keys_hold(w->held->open, w->open, mine, more, w->lane);
    if (w->open >= GPU_WARP || (all && mask == 0 && w->open)) {
      *key = keys_take(w->held->open, &w->open, w->lane, active);
      return true;
    }
    if (mask == 0)
      return false;
  }
}

/* Works until all columns are empty and less than a round of each kind is held back, or nothing (`all`). Every kind of
   work stands here once, as each is much code; each leaves room for what the next may add. */
KERNEL_FN void warp_settle(struct warp *w, const uint64_t *columns, uint32_t n, bool all) {
  uint32_t k = 0;
  bool keys_left = true;
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
      keys_left = next_keys(w, columns, n, &k, all, &key, &active);
      if (keys_left)
        look_up(w, key, active);
    } else {
      break;
    }
  }
}

#endif
