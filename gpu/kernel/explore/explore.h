/* The exploration kernel: all warps fetch states of a level, 32 at a time, expand one per lane, and look up the
   successors. Block 0 alone processes small levels. The text follows table.h, emitter.h and the generated code of a
   model. */
#ifndef FLOE_GPU_EXPLORE_H
#define FLOE_GPU_EXPLORE_H

#include "gpu/kernel/explore/state.h"
#include "gpu/kernel/explore/state_checksum.h"

#include "gpu/kernel/multi/owner_routing.h"

enum {
  /* transitions counted in shared memory; a model with more counts in global memory */
  SHARED_COUNTS = LINKED_MEMBERS > 4 ? 512 : 1024,
  COUNT_IN_SHARED = (int)FLOE_TRANSITIONS <= SHARED_COUNTS,
  BLOCK_COUNTS = COUNT_IN_SHARED && FLOE_TRANSITIONS ? (int)FLOE_TRANSITIONS : 1,
  ITERATIONS_PER_CLOCK = 8, /* a warp reads the clock after so many fetches of states */
  LEVELS_PER_CLOCK = 16,    /* the thread that closes levels reads it after so many small levels */
  MOST_FIRINGS = 1 << 22    /* of a lane in one launch: the block's counts have 32 bits */
};

/* Sums of a lane over a launch. */
struct sums {
  uint64_t checksum;
  uint32_t transitions, deadlocks, max_out_degree;
#ifdef FLOE_TRANSIENT
  uint32_t firings; /* within sequences */
#endif
  union { /* a level whose states are shared has one iteration with states: no group begins while others read `part` */
    uint32_t part;  /* result of a part of a state: its degree; the highest bits: a firing failed, one moves */
    uint32_t start; /* MAY_OVERFLOW: start of the current group in the buffer */
  };
};

struct block_space {
  const struct gpu_space *space;
  uint64_t started;    /* nanoseconds */
  uint32_t generation; /* of the grid's barrier */
  struct level level;
  struct sums sums[GPU_BLOCK]; /* in shared memory, to save registers */
#ifdef FLOE_LINKED
  struct staging_and_mailboxes staging[GPU_WARPS];
  uint32_t arrived;               /* warps that send nothing more */
  uint64_t tickets[2][GPU_WARPS]; /* of the warps in lockstep: for this iteration and the previous one */
#else
  struct staging staging[GPU_WARPS];
#endif
  uint32_t fired[BLOCK_COUNTS];
};

enum {
  BLOCK_BYTES = 48 << 10, /* static shared memory of a block */
  /* Keys that a lane can buffer before the warp must look them up: as many as fit, but never more than a lane looks
     up at once (bitmap_find_or_put.h). For states of several words the buffers are in local memory. */
  BUFFER_USEFUL = FLOE_BUFFER_WORDS > 16 ? 4 : 12,
  BUFFER_FIT = (BLOCK_BYTES - (int)sizeof(struct block_space)) / (8 * (int)GPU_BLOCK),
  BUFFER_MOST = FLOE_BUFFER_WORDS > 1 || BUFFER_FIT > BUFFER_USEFUL ? (int)BUFFER_USEFUL : (int)BUFFER_FIT,
  BUFFER_LEAST = PACKETS_AT_ONCE, /* received packets use the buffers, too */
  BUFFER_NEEDED = (int)FLOE_MAX_SUCCESSORS > BUFFER_LEAST ? (int)FLOE_MAX_SUCCESSORS : BUFFER_LEAST,
  /* A warp that sends gets no more than it needs: received keys fill its buffers, and a mostly empty row costs a
     bitmap as much as a full one. */
  SMALL_BUFFER = LINKED_MEMBERS > 0 && FLOE_BUFFER_WORDS == 1,
  ALL_FIT = BUFFER_NEEDED <= BUFFER_MOST && (!SMALL_BUFFER || BUFFER_NEEDED <= FLOE_BUFFER_SUFFICES),
  /* All groups of transitions are fired without looking at the buffer in between, even if a state may have more
     successors than the buffer holds, provided that hardly any does: those states are fired again. (Not measured for
     states of several words.) */
  FIRE_ALL = ALL_FIT || (FLOE_BUFFER_WORDS == 1 && FLOE_BUFFER_SUFFICES <= BUFFER_MOST),
  BUFFER_KEYS = ALL_FIT    ? (int)BUFFER_NEEDED
                : FIRE_ALL ? FLOE_BUFFER_SUFFICES
                           : (int)BUFFER_MOST,
  BUFFER_END = BUFFER_KEYS * (int)GPU_WARP,
  GROUP_KEYS = (int)FLOE_INITIATOR_SUCCESSORS, /* most successors of one group of transitions */
  /* Free space that a buffer must have before the next group fires. Most states have far fewer successors than a
     large group can have; states with more fire the group again. */
  ROOM_KEYS = GROUP_KEYS < 3 ? GROUP_KEYS : 3,
  MAY_OVERFLOW = !ALL_FIT && (FIRE_ALL || GROUP_KEYS > ROOM_KEYS),
  /* Most warps among which the groups of a state are distributed in a small level. (If all are fired one after the
     other, this would be more code: peterson took 18 % longer.) A group that fires only if no other does cannot be
     distributed: its warp does not know the other firings. */
  MOST_PARTS = FIRE_ALL || FLOE_INITIATOR_COUNT < 2 || FLOE_OTHERWISE_INITIATOR >= 0 ? 1
               : FLOE_INITIATOR_COUNT < 4                                            ? 2
               : FLOE_INITIATOR_COUNT < 8                                            ? 4
                                                                                     : (int)GPU_WARPS
};

/* A block's shared memory. */
struct block_memory {
  struct block_space block;
#ifndef FLOE_MULTIWORD
  uint64_t buffers[GPU_WARPS][BUFFER_KEYS * GPU_WARP];
#endif
};

/* Largest level that block 0 processes alone. If a warp fires all transitions of a state one after the other: two
   iterations, because a third would take longer than the barrier for the other blocks. If groups can be distributed:
   at least two warps per state. The tests set another value. */
#ifndef FLOE_SMALL_LEVEL
#define FLOE_SMALL_LEVEL (MOST_PARTS > 1 ? GPU_BLOCK / 2 : 2 * GPU_BLOCK)
#endif

/* Most batches of 32 states that a warp fetches with one ticket. One address takes some 0.4 G atomics a second, which
   only the fastest visited sets approach; with others, neighbouring states would be processed further apart in time,
   which costs 1 to 16 %. */
#ifndef FLOE_TICKET_BATCHES
#define FLOE_TICKET_BATCHES 1
#endif

#include "gpu/kernel/explore/levels.h"

/* ---- emitting successors ------------------------------------------------------------------------- */

/* A key without room is not counted: the group will be fired again, starting that far below 0. (This code occurs once
   for each firing of the model: the key count doubles as the index, and the degree derives from it.) */
#ifdef FLOE_MULTIWORD
KERNEL_FN void floe_emit(struct floe_emitter *emitter, uint32_t number, const uint64_t *words) {
#else
KERNEL_FN void floe_emit(struct floe_emitter *emitter, uint32_t number, uint64_t key) {
#endif
  const uint32_t at = emitter->used;
  emitter->used = at + GPU_WARP;
  if (MAY_OVERFLOW && at >= BUFFER_END)
    return;
  if (COUNT_IN_SHARED)
    gpu_count(&emitter->block->fired[number]);
  else
    gpu_add64(&emitter->block->space->fired[number], 1);
#ifdef FLOE_MULTIWORD
  MULTIWORD_LOOP
  for (int i = 0; i < MULTIWORD_WORDS; i++)
    emitter->buffer[at / GPU_WARP * MULTIWORD_WORDS + i] = words[i];
#else
  emitter->buffer[at] = key;
#endif
}

/* The model violates an assumption of the index keys about reachable states: the host ends the search. */
KERNEL_FN void floe_no_key(struct floe_emitter *emitter) {
  gpu_store32(&emitter->block->space->control->results.broken, 1);
}

#ifdef FLOE_TRANSIENT
KERNEL_FN void floe_count_firing(struct floe_emitter *emitter, uint32_t number) {
  if (COUNT_IN_SHARED)
    gpu_count(&emitter->block->fired[number]);
  else
    gpu_add64(&emitter->block->space->fired[number], 1);
}

/* The host ends the search. */
KERNEL_FN void floe_exceeds(struct floe_emitter *emitter) {
  gpu_store32(&emitter->block->space->control->results.broken, GPU_BROKEN_SEQUENCES);
}

#include "gpu/kernel/explore/sequences.h"
#endif

/* ---- expanding a state per lane ------------------------------------------------------------------ */

/* There are few properties, and their bits are set early: most lanes find nothing to write. */
KERNEL_FN void trigger(const struct warp *w, uint64_t properties, uint64_t key) {
  struct gpu_control *control = w->space->control;
  if (w->level->single_block && properties & ~w->level->now.triggered)
    gpu_or64(&w->level->now.triggered, properties);
  if (properties & ~gpu_load64(&control->level.triggered))
    gpu_or64(&control->level.triggered, properties);
  for (unsigned i = 0; properties; i++, properties >>= 1)
    if (properties & 1)
      keep_least(w->space, &control->results.witness[i], key);
}

/* Evaluation of these properties failed: this triggers ERRORS if ERRORS is to be evaluated. */
KERNEL_FN uint64_t evaluation_failed(const struct warp *w, uint64_t properties) {
  uint64_t *const failed = &w->space->control->results.failed;
  if (properties & ~gpu_load64(failed))
    gpu_or64(failed, properties);
  return w->level->now.requested_properties & FLOE_ERRORS;
}

/* A firing failed. All writers write in the same level, or see the depth of an earlier one. */
KERNEL_FN uint64_t firing_failed(const struct warp *w) {
  uint32_t *const depth = &w->space->control->results.firing_failed_depth;
  if (gpu_load32(depth) > w->level->now.depth)
    gpu_store32(depth, w->level->now.depth);
  return w->level->now.requested_properties & FLOE_ERRORS;
}

KERNEL_FN void begin_state(const struct warp *w, const floe_state s, FLOE_EMITTER) {
  const uint64_t requested = w->level->now.requested_properties, evaluated = requested | w->level->now.errors_only;
  if (!(evaluated & ~(FLOE_DEADLOCK | FLOE_ERRORS)))
    return;
  uint64_t failed = 0;
  uint32_t site;
  uint64_t triggered = floe_properties(s, evaluated, &failed, &site) & requested;
  if (failed)
    triggered |= evaluation_failed(w, failed);
  if (triggered)
    trigger(w, triggered, key_of(w, s));
}

/* As on the CPU: whether a state none of whose firings has failed is a deadlock. The text of a model of stuttering says
   otherwise. */
#ifndef FLOE_IS_DEADLOCK
#define FLOE_IS_DEADLOCK(emitter, degree) ((degree) == 0)
#endif

/* The deadlock violation of a state that is a deadlock, if any. As on the CPU (step/kernel/expand.h). */
KERNEL_FN uint64_t deadlock_violation(const struct warp *w, const floe_state s) {
  const uint64_t requested = w->level->now.requested_properties;
  uint32_t site;
  if (!((requested | w->level->now.errors_only) & FLOE_DEADLOCK))
    return 0;
  const bool excused = floe_excused(s, &site);
  if (site != FLOE_NO_SITE)
    return evaluation_failed(w, FLOE_DEADLOCK);
  return excused ? 0 : FLOE_DEADLOCK & requested;
}

/* After all firings of the state. */
KERNEL_FN void end_state(const struct warp *w, const floe_state s, struct sums *sums, FLOE_EMITTER) {
  uint64_t triggered = emitter->failed ? firing_failed(w) : 0;
  sums->transitions += emitter->degree;
  if (emitter->degree > sums->max_out_degree)
    sums->max_out_degree = emitter->degree;
  if (FLOE_IS_DEADLOCK(emitter, emitter->degree) && !emitter->failed) {
    sums->deadlocks++;
    triggered |= deadlock_violation(w, s);
  }
  if (triggered)
    trigger(w, triggered, key_of(w, s));
}

/* Whether the group may fire. Successors of earlier groups are in `degree` and in the buffer; `used` is below 0 as far
   as a group that fires again has delivered its own. */
KERNEL_FN bool group_may_fire(unsigned group, const struct floe_emitter *emitter) {
  if (FLOE_OTHERWISE_INITIATOR < 0 || (int)group != FLOE_OTHERWISE_INITIATOR)
    return true;
  return !emitter->failed && (int32_t)emitter->degree + (int32_t)emitter->used / (int32_t)GPU_WARP == 0;
}

KERNEL_FN void fire_all(const floe_state given, FLOE_EMITTER) {
  if (ALL_FIT) {
    floe_successors(given, emitter);
    return;
  }
  fire_groups(given, emitter);
}

/* Number of this warp's part among the warps that share states in this level. */
KERNEL_FN uint32_t part_of_states(const struct level *level) { return gpu_thread() / GPU_WARP & (level->parts - 1); }

/* Parts are assigned back and forth, so that each gets early and late groups. (The shuffles make the number uniform
   for the compiler.) */
KERNEL_FN unsigned first_group(const struct level *level) {
  return MOST_PARTS == 1 ? 0 : gpu_shuffle(part_of_states(level), 0);
}

KERNEL_FN unsigned next_group(const struct level *level, unsigned group) {
  if (MOST_PARTS == 1)
    return group + 1;
  return gpu_shuffle((group + level->parts) ^ (level->parts - 1), 0);
}

/* Combines the results of the other parts of a state in the lane of part 0. Every warp of the block calls it once per
   level. */
KERNEL_FN void add_up_parts(const struct level *level, struct sums *sums, FLOE_EMITTER) {
  sums->part = emitter->degree | (uint32_t)emitter->failed << 31 | (uint32_t)emitter->moves << 30;
  gpu_sync_block();
  if (part_of_states(level) > 0)
    return;
  for (uint32_t part = 1; part < level->parts; part++) {
    const uint32_t theirs = sums[part * GPU_WARP].part;
    emitter->degree += theirs & ~(UINT32_C(3) << 30);
    emitter->failed |= theirs >> 31;
    emitter->moves |= theirs >> 30 & 1;
  }
}

/* True: some lane had more keys of the group than free space, and all lanes must fire the group again. */
KERNEL_FN bool group_is_cut(struct floe_emitter *emitter, struct sums *sums, uint32_t *again) {
  if (!MAY_OVERFLOW || !gpu_ballot((int32_t)emitter->used > BUFFER_END))
    return false;
  if ((int32_t)emitter->used > BUFFER_END)
    emitter->used = BUFFER_END;
  *again = sums->start - emitter->used; /* the number of its keys so far, below 0 */
  return true;
}

/* Of a symmetric model: replaces the lanes' successors by their canonical forms. Here all lanes do so at the same time;
   few fire the same transition. */
KERNEL_FN void canonicalize(uint64_t *buffers, uint32_t n, unsigned lane) {
#ifdef FLOE_SYMMETRY
  GPU_ROLLED
  for (uint32_t k = 0; k < n; k++) {
#ifdef FLOE_MULTIWORD
    floe_canonical(buffers + k * (uint32_t)MULTIWORD_WORDS);
#else
    uint64_t word = buffers[k * GPU_WARP + lane];
    floe_canonical(&word);
    buffers[k * GPU_WARP + lane] = word;
#endif
  }
  gpu_sync_warp();
#endif
  (void)buffers, (void)n, (void)lane;
}

/* Flushes the lanes' buffers, except keys that may stay staged. */
KERNEL_FN void flush_buffer(struct warp *w, struct floe_emitter *emitter, bool all) {
#ifdef FLOE_MULTIWORD
  uint64_t *const buffers = emitter->buffer;
#else
  uint64_t *const buffers = emitter->buffer - w->lane;
#endif
  uint32_t n = emitter->used / GPU_WARP;
  canonicalize(buffers, n, w->lane);
#ifdef FLOE_LINKED
  n = warp_exchange_packets(w->space, w->level, w->staging, buffers, n, BUFFER_END);
#else
  n = warp_send(w, buffers, n);
#endif
  warp_flush(w, buffers, n, BUFFER_KEYS, all);
}

/* Whether a group may be cut. A warp without states, which only receives, has none that is; meanwhile others may read
   its `part`, in the same place. */
#ifdef FLOE_LINKED
#define NOTES_START (MAY_OVERFLOW && !batch.none)
#else
#define NOTES_START MAY_OVERFLOW
#endif

/* A batch: the states that a warp expands together, one per lane. */
struct batch {
  bool live;   /* this lane has a state */
  bool none;   /* no lane has a state */
  bool all;    /* staged keys are flushed as well */
  bool shared; /* the block's warps share their states */
};

#ifdef FLOE_TRANSIENT
#include "gpu/kernel/explore/generate_sequences.h"
#else
/* Puts all successors of the lanes' states into the table, or those of this warp's part. Fires groups of transitions
   until a successor buffer might overflow. */
KERNEL_FN void generate(struct warp *w, const floe_state s, struct sums *sums, const struct batch batch, FLOE_EMITTER) {
  const FLOE_SHARED committed = batch.live && !FIRE_ALL ? floe_committed(s) : 0;
  const unsigned groups = FIRE_ALL ? 1 : group_count(emitter->arcs);
  unsigned group = batch.none ? groups - 1 : first_group(w->level);
  bool last = false;
  GPU_ROLLED
  do {
    uint32_t again = 0;
    if (NOTES_START)
      sums->start = emitter->used;
    if (batch.live) {
      if (FIRE_ALL)
        fire_all(s, emitter);
      else if (group_may_fire(group, emitter))
        fire_group(s, committed, group, emitter);
    }
    const bool cut = group_is_cut(emitter, sums, &again);
    if (!cut)
      group = next_group(w->level, group);
    last = group >= groups;
    const bool settles = last || cut || gpu_ballot(emitter->used + ROOM_KEYS * GPU_WARP > BUFFER_END);
    if (settles)
      emitter->degree += emitter->used / GPU_WARP;
    if (last) {
      if (batch.shared)
        add_up_parts(w->level, sums, emitter);
      if (batch.live && (MOST_PARTS == 1 || part_of_states(w->level) == 0))
        end_state(w, s, sums, emitter);
    }
    gpu_sync_warp();
    if (!settles)
      continue;
    flush_buffer(w, emitter, batch.all && last);
    emitter->used = again;
  } while (!last);
}
#endif

/* Expands the state `key` of every live lane. batch.shared: the states may be shared if the level has parts. */
KERNEL_FN void expand(struct warp *w, struct floe_emitter *emitter, struct sums *sums, uint64_t key,
                      struct batch batch) {
  batch.shared = MOST_PARTS > 1 && batch.shared && w->level->parts > 1;
  const floe_state s = state_of(w, key);
  emitter->degree = 0;
  emitter->failed = emitter->moves = false;
#ifdef FLOE_TRANSIENT
  sequences_begin_state(emitter);
#endif
  if (batch.live && (MOST_PARTS == 1 || part_of_states(w->level) == 0))
    begin_state(w, s, emitter);
  batch.live = batch.live && !w->level->now.properties_only;
  generate(w, s, sums, batch, emitter);
}

/* ---- one level ------------------------------------------------------------------------------------- */

/* Position of the next states for this warp, after those at `before`; at or beyond the level's end if there are none.
   A level of at most one round is distributed thinly, so that many warps have few keys each to look up one after
   another. */
KERNEL_FN uint64_t fetch_states(const struct warp *w, uint32_t iteration, uint64_t before) {
  const struct level *level = w->level;
  if (!level->one_round) {
    const uint32_t turns = FLOE_TICKET_BATCHES > 1 && w->space->ticket_batches ? w->space->ticket_batches : 1;
    if (FLOE_TICKET_BATCHES > 1 && (iteration & (turns - 1)))
      return before + GPU_WARP;
    return keys_append(&w->space->control->ticket, GPU_WARP * turns, w->lane);
  }
  const uint32_t mine = gpu_thread() / GPU_WARP;
  const uint32_t number =
      level->single_block ? iteration * GPU_WARPS + mine : (iteration * gpu_blocks() + gpu_block()) * GPU_WARPS + mine;
  return level->now.current + (uint64_t)(number >> level->parts_log) * level->share;
}

#ifndef FLOE_LINKED
/* Whether a statically distributed level has no states for this block. (With mailboxes every block receives keys.) */
KERNEL_FN bool block_is_idle(const struct level *level) {
  const uint64_t before = (uint64_t)(gpu_block() * GPU_WARPS >> level->parts_log) * level->share;
  return level->one_round && !level->single_block && level->now.current + before >= level->now.current_end;
}

#endif

/* After each iteration: requests a stop if there is a reason. */
KERNEL_FN void check_stop(const struct warp *w, const struct sums *sums, const struct block_space *block,
                          uint32_t iteration, bool more) {
  struct gpu_control *control = w->space->control;
  if (more && w->lane == 0 && iteration % ITERATIONS_PER_CLOCK == ITERATIONS_PER_CLOCK - 1 &&
      slice_is_over(w->level, block->started))
    request_stop(control, w->level, GPU_EXIT_TIME);
  if (sums->transitions >= MOST_FIRINGS)
    request_stop(control, w->level, GPU_EXIT_TIME);
#ifdef FLOE_TRANSIENT
  if (sums->firings >= MOST_FIRINGS)
    request_stop(control, w->level, GPU_EXIT_TIME);
#endif
  gpu_sync_warp();
}

#ifdef FLOE_LINKED
/* Like fetch_states, for several warps together: the first one fetches, and all begin to fire at the same time. A
   kernel that sends has more code than a multiprocessor's instruction cache holds, and warps at different places of
   the code waited for instructions a quarter of their time; in lockstep one warp loads the code for all. With more
   warps, each waits longer for the slowest. False: none of them has states. */
KERNEL_FN bool fetch_lockstep(const struct warp *w, struct block_space *block, uint64_t *first) {
  const uint32_t number = gpu_thread() / GPU_WARP, groups = GPU_WARPS / w->space->mailboxes.lockstep;
  const uint32_t group = number & (groups - 1), mine = number / groups;
  uint64_t *const ticket = &block->tickets[mailboxes_of(w)->fetches & 1][group];
  if (mine == 0 && w->lane == 0)
    *ticket = gpu_add64(&w->space->control->ticket, GPU_WARP * w->space->mailboxes.lockstep);
  gpu_sync_warps(group, groups);
  if (w->lane == 0)
    mailboxes_of(w)->fetches++;
  *first = *ticket + mine * GPU_WARP;
  return *ticket < w->level->now.current_end;
}

/* Expands its own states while receiving; afterwards only receives. */
KERNEL_FN void expand_level(struct warp *w, struct floe_emitter *emitter, struct sums *sums,
                            struct block_space *block) {
  uint64_t first = 0;
  set_stage(w, MAILBOX_EXPANDING);
  GPU_ROLLED
  for (uint32_t iteration = 0; mailboxes_of(w)->stage != MAILBOX_OVER; iteration++) {
    const uint64_t end = w->level->now.current_end;
    const bool own = mailboxes_of(w)->stage == MAILBOX_EXPANDING;
    bool some = false;
    if (own && !w->level->one_round)
      some = fetch_lockstep(w, block, &first);
    else if (own)
      first = fetch_states(w, iteration, first);
    const bool any = own && first < end;
    if (own && ((!any && !some) || w->level->one_iteration))
      set_stage(w, MAILBOX_EXPANDED);
    if (!own)
      mailbox_wait(w, iteration);
    const bool over = mailboxes_of(w)->stage == MAILBOX_OVER;
    const bool live = any && w->lane < w->level->share && w->lane < end - first;
    const uint64_t key = live ? gpu_load64(&w->space->ring[(first + w->lane) & w->space->ring_mask]) : 0;
    const struct batch batch = {live, !any, over, iteration == 0};
    expand(w, emitter, sums, key, batch);
    check_stop(w, sums, block, iteration, !over);
    if (mailboxes_of(w)->stage == MAILBOX_EXPANDED) {
      mailbox_arrive(w, &block->arrived);
      set_stage(w, MAILBOX_SENT);
    }
  }
}
#else
KERNEL_FN void expand_level(struct warp *w, struct floe_emitter *emitter, struct sums *sums,
                            struct block_space *block) {
  bool more = !block_is_idle(w->level);
  uint64_t first = 0;
  GPU_ROLLED
  for (uint32_t iteration = 0; more; iteration++) {
    const uint64_t end = w->level->now.current_end;
    first = fetch_states(w, iteration, first);
    const bool any = first < end;
    more = any && !w->level->one_iteration;
    const bool live = any && w->lane < w->level->share && w->lane < end - first;
    const uint64_t key = live ? gpu_load64(&w->space->ring[(first + w->lane) & w->space->ring_mask]) : 0;
    const struct batch batch = {live, !any, !more, iteration == 0};
    expand(w, emitter, sums, key, batch);
    check_stop(w, sums, block, iteration, more);
  }
}
#endif

/* ---- the grid barrier --------------------------------------------------------------------------------- */

enum at_barrier { BARRIER_BEGIN, BARRIER_CLOSE, BARRIER_ONLY };

/* Grid barrier: all blocks wait for the last one, whose first thread performs `work` in between. Its stores, and
   everything that the other blocks did before, are visible to all afterwards. A fence precedes each arrival and
   releases the block's writes (after the block's own barrier). The last block's fence after its arrival acquires
   those of all blocks. Waiting blocks acquire what it released. */
KERNEL_FN void grid_barrier(struct block_space *block, enum at_barrier work) {
  const struct gpu_space *space = block->space;
  struct gpu_control *control = space->control;
  gpu_sync_block();
  if (gpu_thread() == 0) {
    const uint32_t generation = ++block->generation;
    gpu_fence();
    if (gpu_add32(&control->arrived, 1) == gpu_blocks() - 1) {
      gpu_fence();
      if (work == BARRIER_BEGIN)
        begin_launch(space, &block->level, generation);
      if (work == BARRIER_CLOSE)
        close_for_all(space, &block->level, block->started, generation);
      gpu_store32(&control->arrived, 0);
      gpu_store32_release(&control->generation, generation);
    } else {
      for (uint32_t times = 0; gpu_load32_acquire(&control->generation) != generation; times++)
        gpu_pause(times);
    }
  }
  gpu_sync_block();
}

/* Reads the published level, for every warp of the block. */
KERNEL_FN void read_level(struct block_space *block) {
  struct level *const level = &block->level;
  const unsigned i = gpu_thread();
  if (i < GPU_WARP) {
    const uint64_t *const line = block->space->control->handoff.levels[block->generation % 2];
    if (i <= GPU_LEVEL_WORDS)
      level->words[i] = gpu_load64(&line[i]);
    gpu_sync_warp();
  }
  if (i == 0) {
    level->next_end = level->words[GPU_LEVEL_WORDS];
    plan_level(block->space, level);
  }
  gpu_sync_block();
}

/* Block 0 continues with small levels while the other blocks wait at the grid barrier. False: the sequence of small
   levels has ended, and the level is published to the others. */
KERNEL_FN bool continue_single_block(struct block_space *block) {
  const struct gpu_space *space = block->space;
  struct gpu_control *control = space->control;
  struct level *const level = &block->level;
  gpu_sync_block();
  if (gpu_thread() == 0) {
    level->next_end += level->appended;
    level->now.exit_reasons = level->stop;
    close_level(space, level, level->now.current_end, level->next_end, block->started);
    plan_level(space, level);
    if (level->now.exit_reasons || !level->single_block) {
      publish_level(control, level, level->next_end, block->generation + 1);
      gpu_store64(&control->next_end, level->next_end);
    }
  }
  gpu_sync_block();
  return level->now.exit_reasons == 0 && level->single_block;
}

KERNEL_FN void explore_levels(struct warp *w, struct floe_emitter *emitter, struct sums *sums,
                              struct block_space *block) {
  struct level *const level = &block->level;
  grid_barrier(block, BARRIER_BEGIN);
  read_level(block);
  GPU_ROLLED
  while (level->now.exit_reasons == 0) {
    const bool single_block = level->single_block;
    if (!single_block || gpu_block() == 0)
      expand_level(w, emitter, sums, block);
    if (single_block && gpu_block() == 0 && continue_single_block(block))
      continue;
    grid_barrier(block, single_block ? BARRIER_ONLY : BARRIER_CLOSE);
    read_level(block);
  }
}

/* ---- the kernel ----------------------------------------------------------------------------------------- */

KERNEL_FN uint64_t sum_of_lanes(uint64_t value, unsigned lane) {
  GPU_ROLLED
  for (unsigned apart = GPU_WARP / 2; apart; apart /= 2)
    value += gpu_shuffle64(value, lane ^ apart);
  return value;
}

KERNEL_FN uint32_t max_of_lanes(uint32_t value, unsigned lane) {
  GPU_ROLLED
  for (unsigned apart = GPU_WARP / 2; apart; apart /= 2) {
    const uint32_t other = gpu_shuffle(value, lane ^ apart);
    value = other > value ? other : value;
  }
  return value;
}

KERNEL_FN void clear_sums(struct sums *sums) {
  sums->checksum = 0;
  sums->transitions = sums->deadlocks = sums->max_out_degree = 0;
#ifdef FLOE_TRANSIENT
  sums->firings = 0;
#endif
}

KERNEL_FN void add_sums(const struct warp *w, const struct sums *sums) {
  struct gpu_control *control = w->space->control;
  const uint64_t transitions = sum_of_lanes(sums->transitions, w->lane);
  const uint64_t deadlocks = sum_of_lanes(sums->deadlocks, w->lane);
  const uint64_t checksum = sum_of_lanes(sums->checksum, w->lane);
  const uint32_t max_out_degree = max_of_lanes(sums->max_out_degree, w->lane);
  if (w->lane != 0)
    return;
  if (transitions)
    gpu_add64(&control->results.transitions, transitions);
  if (deadlocks)
    gpu_add64(&control->results.deadlocks, deadlocks);
  if (checksum)
    gpu_add64(&control->results.checksum, checksum);
  if (max_out_degree)
    gpu_max64(&control->results.max_out_degree, max_out_degree);
}

/* Clears the block's counts of firings; add_fired adds them to the run's. */
KERNEL_FN void clear_fired(struct block_space *block) {
  GPU_ROLLED
  for (unsigned i = gpu_thread(); i < BLOCK_COUNTS; i += GPU_BLOCK)
    block->fired[i] = 0;
}

KERNEL_FN void add_fired(const struct gpu_space *space, const struct block_space *block) {
  const unsigned n = COUNT_IN_SHARED ? (unsigned)FLOE_TRANSITIONS : 0;
  GPU_ROLLED
  for (unsigned i = gpu_thread(); i < n; i += GPU_BLOCK)
    if (block->fired[i])
      gpu_add64(&space->fired[i], block->fired[i]);
}

GPU_KERNEL(floe_explore, GPU_BLOCK, FLOE_LEAST_BLOCKS)
(GPU_PARAMETER FLOE_VISITED table, GPU_PARAMETER struct gpu_space space FLOE_SEQUENCES_PARAMETER) {
  GPU_SHARED(struct block_memory, memory);
  struct block_space *const block = &memory->block;
  const unsigned number = gpu_thread() / GPU_WARP, lane = gpu_thread() % GPU_WARP;
  struct warp w = {0};
  w.table = &table;
  w.space = &space;
  w.level = &block->level;
  w.lane = lane;
#ifdef FLOE_LINKED
  w.staging = &block->staging[number].staging;
  mailbox_begin(&w);
#else
  w.staging = &block->staging[number];
#endif
  struct floe_emitter emitter = {0};
#ifdef FLOE_MULTIWORD
  uint64_t buffer[BUFFER_KEYS * FLOE_MULTIWORD];
  struct lane_state state;
  emitter.buffer = buffer;
  w.state = &state;
#else
  emitter.buffer = &memory->buffers[number][lane];
#endif
  emitter.block = block;
  emitter.arcs = &space.arcs;
#ifdef FLOE_TRANSIENT
  sequences_begin(&emitter, &sequences);
#endif
  struct sums *const sums = &block->sums[gpu_thread()];
  clear_sums(sums);
  w.checksum = &sums->checksum;
  if (gpu_thread() == 0) {
    block->space = &space;
    block->started = gpu_nanoseconds();
    block->generation = gpu_load32(&space.control->generation); /* cannot change before all arrive */
#ifdef FLOE_LINKED
    block->arrived = 0;
#endif
  }
  clear_fired(block);
  gpu_sync_block();
  explore_levels(&w, &emitter, sums, block);
  add_sums(&w, sums);
#ifdef FLOE_LINKED
  mailbox_end(&w);
#endif
  gpu_sync_block();
  add_fired(&space, block);
}

#include "gpu/kernel/explore/insert_states.h"

#endif
