/* State and operations of a warp that looks keys up in a visited set of any scheme: the current level, staging of keys,
   stop requests, the queue and the log.

   The text follows that of a visited set (iceberg_visited.h, linear_find_or_put.h, bitmap_find_or_put.h), which defines
     FLOE_VISITED          the struct that kernels receive by value
     visited_first         first probe, for the lanes of `active`, one key each. FULL: retry later. All lanes of
                           the warp call it. The answers of other lanes are meaningless
     visited_retry         the remaining probes for keys whose first probe returned FULL. FULL: there is no slot
     visited_single_lane   both probes for one key, by one lane: little code, but slow
     visited_find          whether the key is present; for kernels that put nothing
   (a bitmap has no separate probes). flush.h or bitmap_flush.h follows this text and defines
     struct staging        a warp's staged keys, in shared memory; `pending` has room for at least 64
     process_answers       counts the table's answers, or stages keys as fresh or refused
     append_fresh          appends the keys staged as fresh to the queue
     warp_flush            looks up all keys in the lanes' buffers and in `pending`, except keys that may stay staged;
                           `all`: none may. Lane i has n keys, at most `most` (a compile-time constant); key k is at
                           buffers[32 k + i]
   With FLOE_DEVICE_CACHE the set is the device cache of a host-backed set (host_backed_set.h): visited_first never
   returns FULL, and keys that it puts are candidates, which go to space->candidates. */
#ifndef FLOE_GPU_WARP_H
#define FLOE_GPU_WARP_H

#include "gpu/kernel/base/control.h"

#include "gpu/kernel/base/multiword.h"

/* enum iceberg_answer, enum linear_answer and enum bitmap_answer. */
enum visited_answer { VISITED_FOUND, VISITED_PUT, VISITED_FULL };

#define ALL_LANES 0xffffffffu

/* Warps of the grid are numbered from 0 to warp_count() - 1. */
KERNEL_FN uint64_t warp_number(void) { return (uint64_t)gpu_block() * GPU_WARPS + gpu_thread() / GPU_WARP; }
KERNEL_FN uint64_t warp_count(void) { return (uint64_t)gpu_blocks() * GPU_WARPS; }

struct staging;

/* The current level, as the block's warps see it; in shared memory. While block 0 works alone this is the authoritative
   copy, and the fields of gpu_control are those of the start: atomics on global memory would cost more than the states.
 */
struct level {
  union {
    struct gpu_level now;
    uint64_t words[GPU_LEVEL_WORDS + 1];
  };
  uint64_t ring_limit, grow_limit; /* positions of next_end that end the launch */
  uint64_t next_end;               /* single_block: end of the queue when the level began */
  uint32_t appended;               /* single_block: states appended since then */
  uint32_t stop;                   /* single_block: replaces handoff.stop */
  uint32_t single_block;           /* block 0 processes the level without the other blocks */
  uint32_t one_round;              /* no more states than the warps fetch in one round: statically distributed,
                                      without tickets */
  uint32_t share;                  /* states that a warp fetches at once */
  uint32_t one_iteration;          /* a warp fetches states only once */
  uint32_t parts, parts_log; /* warps of a block that share states: each fires a part of the transitions. 1, 2, 4, 8 */
};

/* State of a warp, in registers. Counts of staged keys are equal in all lanes; sums are per lane. */
struct warp {
  const FLOE_VISITED *table;
  const struct gpu_space *space; /* NULL: keys are only put and counted */
  struct level *level;           /* NULL: no limits */
  struct staging *staging;
  unsigned lane;
  uint32_t pending, retry, fresh;
  struct lane_state *state;     /* FLOE_MULTIWORD: the state that this lane expands */
  uint64_t *checksum;           /* this lane's, in shared memory to save registers */
  uint32_t put, found, refused; /* numbers of answers, if space is NULL */
#ifdef FLOE_MULTIWORD
  uint32_t from_low_bits, low_bits; /* bits of the low number of moved keys: before and after */
#endif
};

/* The key in the new table of a key moved between tables. */
KERNEL_FN uint64_t moved_key(const struct warp *w, uint64_t key) {
#ifdef FLOE_MULTIWORD
  return tree_key(tree_root(key, w->from_low_bits), w->low_bits);
#else
  (void)w;
  return key;
#endif
}

/* ---- staging ----------------------------------------------------------------------------------- */

/* Appends the keys of the lanes where `has` is set; returns the new count. */
KERNEL_FN uint32_t keys_stage(uint64_t *keys, uint32_t count, uint64_t key, bool has, unsigned lane) {
  const uint32_t mask = gpu_ballot(has);
  if (has)
    keys[count + count_bits(mask & ((UINT32_C(1) << lane) - 1))] = key;
  gpu_sync_warp(); /* other lanes read them */
  return count + count_bits(mask);
}

/* Removes up to 32 keys, one per lane; *active: the lanes that received one. */
KERNEL_FN uint64_t keys_take(const uint64_t *keys, uint32_t *count, unsigned lane, uint32_t *active) {
  const uint32_t n = *count < GPU_WARP ? *count : (uint32_t)GPU_WARP;
  *count -= n;
  *active = UINT32_MAX >> (GPU_WARP - n); /* n > 0 */
  const uint64_t key = lane < n ? keys[*count + lane] : 0;
  gpu_sync_warp(); /* before others write there */
  return key;
}

/* Appends to an array in global memory, with one atomic for the warp; returns the position of the first key. */
KERNEL_FN uint64_t keys_append(uint64_t *count, uint32_t n, unsigned lane) {
  uint64_t position = 0;
  if (lane == 0)
    position = gpu_add64(count, n);
  return gpu_shuffle64(position, 0);
}

/* ---- stopping ---------------------------------------------------------------------------------- */

#define TICKET_STOP (UINT64_C(1) << 63)

/* Requests a stop: no warp fetches further states; each finishes those it has. The first request records the position
   at which the level continues, unless the level is distributed statically. Called by one lane. */
KERNEL_FN void request_stop(struct gpu_control *control, struct level *level, uint32_t why) {
  if (level->single_block)
    gpu_or32(&level->stop, why);
  else
    gpu_or32(&control->handoff.stop, why);
  if (level->one_round)
    return;
  const uint64_t ticket = gpu_or64(&control->ticket, TICKET_STOP);
  if (!(ticket & TICKET_STOP))
    gpu_store64(&control->handoff.resume, ticket < level->now.current_end ? ticket : level->now.current_end);
}

/* Reasons to stop when the queue has grown up to `end`. */
KERNEL_FN uint32_t beyond_limits(const struct level *level, uint64_t end) {
  return (end >= level->ring_limit ? (uint32_t)GPU_EXIT_QUEUE : 0) |
         (end >= level->grow_limit ? (uint32_t)GPU_EXIT_GROW : 0);
}

KERNEL_FN bool log_is_nearly_full(const struct gpu_space *space, uint64_t count) {
  return count + gpu_load64(&space->control->level.slack) >= space->log_capacity;
}

/* ---- the queue and the log ------------------------------------------------------------------------ */

/* Reserves n positions at the queue's end; returns the first. Called by one lane. */
KERNEL_FN uint64_t queue_append(struct gpu_control *control, struct level *level, uint32_t n) {
  if (level && level->single_block)
    return level->next_end + gpu_add32(&level->appended, n);
  return gpu_add64(&control->next_end, n);
}

KERNEL_FN void log_keys(struct warp *w, uint64_t key, bool has) {
#ifdef FLOE_LOG
  const uint32_t mask = gpu_ballot(has), n = count_bits(mask);
  if (mask == 0)
    return;
  const uint64_t position = keys_append(&w->space->control->log_count, n, w->lane);
  if (has)
    w->space->log[position + count_bits(mask & ((UINT32_C(1) << w->lane) - 1))] = key;
  if (w->level && w->lane == 0 && log_is_nearly_full(w->space, position + n))
    request_stop(w->space->control, w->level, GPU_EXIT_LOG);
#else
  (void)w, (void)key, (void)has;
#endif
}

/* The key in the set; where keys are only put and counted, they are set keys already. */
KERNEL_FN uint64_t key_of_set(const struct warp *w, uint64_t key) { return w->space ? key_in_set(w->space, key) : key; }

#endif
