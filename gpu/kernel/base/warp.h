/* What warps share that look keys up in a visited set, whatever its scheme: the level in work, places where keys wait,
   requests to stop, room in the queue, the log.

   The text comes after that of a visited set (iceberg_visited.h, linear_find_or_put.h,
   bitmap_find_or_put.h), which gives
     FLOE_VISITED    the struct that kernels get by value
     visited_first   of the lanes of `active`, each with a key: the first look. FULL: to be looked up later. All lanes
                     of the warp call it. Other lanes' answers mean nothing
     visited_later   the same for keys whose first look said FULL: what is missing of it. FULL: there is no place
     visited_alone   both looks for one key, by one lane: little code, and slow
     visited_find    is the key there? For kernels that put nothing
   (a bitmap has no first and later look), and after it comes one of flush.h and bitmap_flush.h, which gives
     struct held     a warp's keys that wait, in shared memory; `open` has room for 64 at least
     take_answers    what the table said of the lanes' keys: counted, or held as fresh, or refused
     append_fresh    what is held as fresh to the queue
     warp_flush     works until all keys in the lanes' columns (lane i has n keys of no more than `most`, a constant of
                     the compilation, number k at columns[32 k + i]) and in `open` are looked up, but for what may go on
                     waiting; `all`: nothing may
   With FLOE_TWO_LEVELS the set is the newest part of one of two levels (host_backed_set.h): visited_first never says FULL,
   and what it puts are candidates, which go to space->candidates. */
#ifndef FLOE_GPU_WARP_H
#define FLOE_GPU_WARP_H

#include "gpu/kernel/base/control.h"

#include "gpu/kernel/base/multiword.h"

/* enum iceberg_answer, enum linear_answer and enum bitmap_answer. */
enum visited_answer { VISITED_FOUND, VISITED_PUT, VISITED_FULL };

#define ALL_LANES 0xffffffffu

/* A warp's part of a grid: its number among `warps`. */
KERNEL_FN uint64_t warp_number(void) { return (uint64_t)gpu_block() * GPU_WARPS + gpu_thread() / GPU_WARP; }
KERNEL_FN uint64_t warp_count(void) { return (uint64_t)gpu_blocks() * GPU_WARPS; }

struct held;

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
  struct lane_state *state;     /* FLOE_MULTIWORD: that this lane expands */
  uint64_t *checksum;           /* this lane's, in shared memory, as registers are short */
  uint32_t put, found, refused; /* answers, where space is NULL */
#ifdef FLOE_MULTIWORD
  uint32_t from_low_bits, low_bits; /* the same: of keys that are moved */
#endif
};

/* Of keys that go from a table to another one. */
KERNEL_FN uint64_t moved_key(const struct warp *w, uint64_t key) {
#ifdef FLOE_MULTIWORD
  return tree_key(tree_root(key, w->from_low_bits), w->low_bits);
#else
  (void)w;
  return key;
#endif
}

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
    gpu_or32(&control->handoff.stop, why);
  if (level->whole)
    return;
  const uint64_t ticket = gpu_or64(&control->ticket, TICKET_STOP);
  if (!(ticket & TICKET_STOP))
    gpu_store64(&control->handoff.resume, ticket < level->now.current_end ? ticket : level->now.current_end);
}

/* What to stop for when the queue has grown up to `end`. */
KERNEL_FN uint32_t beyond_limits(const struct level *level, uint64_t end) {
  return (end >= level->ring_limit ? (uint32_t)GPU_EXIT_QUEUE : 0) |
         (end >= level->grow_limit ? (uint32_t)GPU_EXIT_GROW : 0);
}

KERNEL_FN bool log_is_nearly_full(const struct gpu_space *space, uint64_t count) {
  return count + gpu_load64(&space->control->level.slack) >= space->log_capacity;
}

/* ---- the queue and the log ------------------------------------------------------------------------ */

/* Room for n states at the queue's end; returns the first position. Called by one lane. */
KERNEL_FN uint64_t queue_append(struct gpu_control *control, struct level *level, uint32_t n) {
  if (level && level->alone)
    return level->next_end + gpu_add32(&level->appended, n);
  return gpu_add64(&control->next_end, n);
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
    request_stop(w->space->control, w->level, GPU_EXIT_LOG);
#else
  (void)w, (void)key, (void)said;
#endif
}

/* Where keys are only put and counted, they are those of the set. */
KERNEL_FN uint64_t key_of_set(const struct warp *w, uint64_t key) { return w->space ? key_in_set(w->space, key) : key; }

#endif
