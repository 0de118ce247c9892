/* Passes over the states of a finished search (engine/cycles/cycles.h). A state's number is its slot in the visited
   set. Sets of states are bit arrays; the queue of a pass is one too: `from` is expanded and emptied, and what the pass
   adds goes to `next`. A level of it may have few states, so the blocks that may have some are noted. The text follows
   that of a visited set, its numbers (iceberg_slots.h, bitmap_slots.h), gpu/kernel/cycles/step_emitter.h and the
   generated code of a model.

   A warp takes 32 states, one per lane, fires their transitions into the lanes' buffers, and stages the successors
   until there are 32 to be looked up. Only numbers matter after that, so keys of different lanes may be staged
   together. */
#ifndef FLOE_GPU_CYCLES_PASSES_H
#define FLOE_GPU_CYCLES_PASSES_H

#include "gpu/kernel/base/grid_meet.h"
#include "gpu/kernel/base/warp.h"
#include "gpu/kernel/explore/state.h"
#include "gpu/kernel/explore/state_checksum.h"

enum {
  PASS_BUFFER_MOST = FLOE_BUFFER_WORDS > 16 ? 4 : 12,
  ALL_FIT = (int)FLOE_MAX_SUCCESSORS <= PASS_BUFFER_MOST,
  /* As in the exploration: all groups of transitions fire one after the other; states with more successors again. */
  FIRE_ALL = ALL_FIT || (FLOE_BUFFER_WORDS == 1 && FLOE_BUFFER_SUFFICES <= PASS_BUFFER_MOST),
  BUFFER_KEYS = ALL_FIT    ? (int)FLOE_MAX_SUCCESSORS
                : FIRE_ALL ? FLOE_BUFFER_SUFFICES
                           : (int)PASS_BUFFER_MOST,
  BUFFER_END = BUFFER_KEYS * (int)GPU_WARP,
  ROOM_KEYS = (int)FLOE_INITIATOR_SUCCESSORS < 3 ? (int)FLOE_INITIATOR_SUCCESSORS : 3, /* free before a group fires */
  CANDIDATE_WORDS = 4,
  SATURATED = 255
};

/* Resident blocks: on an H200, four instead of two made the passes over havi 1.3 times as fast. States of several words
   need more registers. */
#ifdef FLOE_MULTIWORD
#define PASS_LEAST_BLOCKS 2
#else
#define PASS_LEAST_BLOCKS FLOE_LEAST_BLOCKS
#endif

/* Keys and numbers that wait until there are 32 for the same work. */
struct pass_staging {
  uint64_t states[2 * GPU_WARP];  /* numbers, to be expanded */
  uint64_t pending[2 * GPU_WARP]; /* keys, to be looked up */
  uint64_t later[2 * GPU_WARP];   /* keys, to be looked up in later levels of the table */
};

struct block_passes {
  struct pass_staging staging[GPU_WARPS];
#ifndef FLOE_MULTIWORD
  uint64_t buffers[GPU_WARPS][BUFFER_KEYS * GPU_WARP];
#endif
};

struct pass {
  struct warp w; /* table, space, lane, state */
  const struct gpu_cycles *cycles;
  uint32_t *next, *next_blocks; /* of the level */
  struct pass_staging *staging;
  uint32_t states, pending, later;                    /* staged; equal in all lanes */
  uint32_t added, expanded, saturated, found, absent; /* of the lane */
};

/* ---- sets ------------------------------------------------------------------------------------------ */

KERNEL_FN bool set_has(const uint32_t *set, uint64_t number) {
  return gpu_load32(&set[number / 32]) >> number % 32 & 1;
}
/* True: it was not in the set. */
KERNEL_FN bool set_add(uint32_t *set, uint64_t number) {
  const uint32_t bit = UINT32_C(1) << number % 32;
  return !(gpu_or32(&set[number / 32], bit) & bit);
}
/* True: it was in the set. */
KERNEL_FN bool set_remove(uint32_t *set, uint64_t number) {
  const uint32_t bit = UINT32_C(1) << number % 32;
  return gpu_and32(&set[number / 32], ~bit) & bit;
}

KERNEL_FN uint64_t set_words(const struct gpu_cycles *cycles) { return (cycles->slots + 31) / 32; }

KERNEL_FN void queue_add(struct pass *p, uint64_t number) {
  set_add(p->next, number);
  gpu_store32(&p->next_blocks[number / GPU_CYCLES_SLOTS], 1);
  p->added++;
}

/* Adds the lanes' counts to the launch's. */
KERNEL_FN void add_counts(struct pass *p) {
  struct gpu_cycle_counts *counts = p->cycles->counts;
  if (p->added)
    gpu_add64(&counts->added, p->added);
  if (p->expanded)
    gpu_add64(&counts->expanded, p->expanded);
  if (p->saturated)
    gpu_store64(&counts->saturated, 1);
  if (p->found)
    gpu_store64(&counts->found, 1);
  if (p->absent)
    gpu_store64(&counts->absent, 1);
}

/* ---- a step's target ------------------------------------------------------------------------------- */

/* Counts of four states share a word. A count that is saturated stays so. */
KERNEL_FN void count_step(struct pass *p, uint64_t number) {
  const unsigned shift = (unsigned)(number % 4) * 8;
  uint32_t *const word = &p->cycles->predecessors[number / 4];
  uint32_t seen = gpu_load32(word);
  GPU_ROLLED
  while ((seen >> shift & SATURATED) != SATURATED) {
    const uint32_t before = (uint32_t)slot_swap(word, 0, 32, seen, seen + (UINT32_C(1) << shift));
    if (before == seen)
      break;
    seen = before;
  }
  if ((seen >> shift & SATURATED) >= SATURATED - 1)
    p->saturated = 1;
}

/* The step had been counted, so a count that is not saturated is at least 1. */
KERNEL_FN void uncount_step(struct pass *p, uint64_t number) {
  const unsigned shift = (unsigned)(number % 4) * 8;
  uint32_t *const word = &p->cycles->predecessors[number / 4];
  if (p->cycles->saturated && (gpu_load32(word) >> shift & SATURATED) == SATURATED)
    return;
  const uint32_t before = gpu_add32(word, 0 - (UINT32_C(1) << shift));
  if ((before >> shift & SATURATED) == 1 && set_remove(p->cycles->z, number))
    queue_add(p, number);
}

KERNEL_FN void reach(struct pass *p, uint64_t number) {
  if (!set_has(p->cycles->reached, number) && set_add(p->cycles->reached, number))
    queue_add(p, number);
}

/* Steps to states outside Z are counted too, and uncounted: that costs less than to ask. */
KERNEL_FN void visit_target(struct pass *p, uint64_t number) {
  const unsigned work = p->cycles->work;
  if (work == GPU_CYCLES_COUNT) {
    count_step(p, number);
  } else if (work == GPU_CYCLES_UNCOUNT) {
    uncount_step(p, number);
  } else {
    const bool in_z = set_has(p->cycles->z, number);
    if (work == GPU_CYCLES_SEEK)
      p->found |= in_z;
    if (in_z || work == GPU_CYCLES_SEEK)
      reach(p, number);
  }
}

/* ---- looking up ------------------------------------------------------------------------------------ */

KERNEL_FN void visit_number(struct pass *p, uint64_t number, bool mine) {
  if (mine && number == NO_SLOT)
    p->absent = 1;
  else if (mine)
    visit_target(p, number);
  gpu_sync_warp();
}

KERNEL_FN void look_up_targets(struct pass *p) {
  uint32_t active;
  const uint64_t key = keys_take(p->staging->pending, &p->pending, p->w.lane, &active);
  const bool mine = active >> p->w.lane & 1;
  const uint64_t number = visited_slot_first(p->w.table, key, active, p->w.lane);
  const bool later = mine && number == LATER_SLOT;
  p->later = keys_stage(p->staging->later, p->later, key, later, p->w.lane);
  visit_number(p, number, mine && !later);
}

KERNEL_FN void look_up_later(struct pass *p) {
  uint32_t active;
  const uint64_t key = keys_take(p->staging->later, &p->later, p->w.lane, &active);
  const bool mine = active >> p->w.lane & 1;
  visit_number(p, mine ? visited_slot_later(p->w.table, key) : NO_SLOT, mine);
}

/* Key k of the lane's buffer, as it is in the visited set. */
KERNEL_FN uint64_t target_key(struct pass *p, const uint64_t *buffer, uint32_t k) {
#ifdef FLOE_MULTIWORD
  uint64_t root;
  if (!multiword_root(p->w.space, p->w.state, buffer + k * (uint32_t)MULTIWORD_WORDS, &root))
    p->absent = 1;
  return key_in_set(p->w.space, root);
#else
  return key_in_set(p->w.space, buffer[k * GPU_WARP]);
#endif
}

/* Looks up the n keys of each lane's buffer. Less than 32 of each kind stay staged, unless `all`. */
KERNEL_FN void flush_targets(struct pass *p, const uint64_t *buffer, uint32_t n, bool all) {
  uint32_t row = 0;
  bool more = true;
  GPU_ROLLED
  for (;;) {
    if (p->later >= GPU_WARP || (all && !more && !p->pending && p->later)) {
      look_up_later(p);
    } else if (p->pending >= GPU_WARP || (all && !more && p->pending)) {
      look_up_targets(p);
    } else if (more) {
      const bool has = row < n;
      const uint64_t key = has ? target_key(p, buffer, row) : 0;
      more = gpu_ballot(has) != 0;
      p->pending = keys_stage(p->staging->pending, p->pending, key, has, p->w.lane);
      row++;
    } else {
      break;
    }
  }
}

/* ---- expansion ------------------------------------------------------------------------------------- */

#ifdef FLOE_MULTIWORD
KERNEL_FN void floe_emit(struct floe_emitter *emitter, uint32_t number, uint32_t which, const uint64_t *words) {
#else
KERNEL_FN void floe_emit(struct floe_emitter *emitter, uint32_t number, uint32_t which, uint64_t key) {
#endif
  const bool fair = floe_fired(emitter, number);
  if (!emitter->all && !fair && !(emitter->marks[which % FLOE_AUTOMATON_DEGREE] >> emitter->condition & 1))
    return;
  const uint32_t at = emitter->used;
  emitter->used = at + GPU_WARP;
  if (at >= BUFFER_END) /* also if a group that fires again has delivered this key */
    return;
#ifdef FLOE_MULTIWORD
  MULTIWORD_LOOP
  for (int i = 0; i < MULTIWORD_WORDS; i++)
    emitter->buffer[at / GPU_WARP * MULTIWORD_WORDS + i] = words[i];
#else
  emitter->buffer[at] = key;
#endif
}

/* Fires groups of transitions until a buffer might overflow. If a lane had more keys than room, all lanes fire again,
   and skip what they have delivered. */
KERNEL_FN void fire_states(struct pass *p, const floe_state s, bool live, FLOE_EMITTER) {
  const FLOE_SHARED committed = live && !FIRE_ALL ? floe_committed(s) : 0;
  const unsigned groups = FIRE_ALL ? 1 : (unsigned)FLOE_INITIATOR_COUNT;
  unsigned group = gpu_ballot(live) ? 0 : groups;
  bool may_fire = true, again = false;
  emitter->used = 0;
  emitter->fired = false;
  GPU_ROLLED
  while (group < groups) {
    const uint32_t start = emitter->used;
    if (!again)
      may_fire = live && (FIRE_ALL || (int)group != FLOE_OTHERWISE_INITIATOR || !emitter->fired);
    if (may_fire) {
      if (FIRE_ALL)
        fire_groups(s, emitter);
      else
        fire_group(s, committed, group, emitter);
    }
    again = gpu_ballot((int32_t)emitter->used > BUFFER_END) != 0;
    if (!again)
      group++;
    else if ((int32_t)emitter->used > BUFFER_END)
      emitter->used = BUFFER_END;
    gpu_sync_warp();
    if (again || group == groups || gpu_ballot((int32_t)emitter->used + ROOM_KEYS * (int)GPU_WARP > BUFFER_END)) {
      flush_targets(p, emitter->buffer, emitter->used / GPU_WARP, false);
      emitter->used = again ? start - emitter->used : 0; /* below 0: keys of the group that were delivered */
    }
  }
}

/* Of a product: whether the state is a transient state of the model (model/temporal/transient_states.h). */
#ifndef FLOE_IS_TRANSIENT
#define FLOE_IS_TRANSIENT(s) false
#endif

/* Weak fairness also marks all steps of states in which it is not enabled: these fire a second time. No constraint
   counts as disabled because of a transient state. */
KERNEL_FN void expand_states(struct pass *p, const floe_state s, uint64_t number, bool live, FLOE_EMITTER) {
  const unsigned rounds = p->cycles->marked && p->cycles->weak ? 2 : 1;
  emitter->all = !p->cycles->marked;
  emitter->enabled = false;
  GPU_ROLLED
  for (unsigned round = 0; round < rounds; round++) {
    fire_states(p, s, live && !(round > 0 && (emitter->enabled || FLOE_IS_TRANSIENT(s))), emitter);
    emitter->all = true;
  }
  if (live && p->cycles->marked && p->cycles->strong && emitter->enabled)
    set_add(p->cycles->enabled, number);
  gpu_sync_warp();
}

/* The key in the set of the state with this number, as it is in the queue of an exploration. */
KERNEL_FN uint64_t queued_key(const struct pass *p, uint64_t number) {
  uint64_t key = 0;
  content_key(p->w.table, number, &key);
#ifdef FLOE_MULTIWORD
  key = tree_root(key, p->w.space->low_bits);
#endif
  return key;
}

/* Expands up to 32 staged states. */
KERNEL_FN void expand_staged(struct pass *p, bool all, FLOE_EMITTER) {
  uint32_t active = 0;
  uint64_t number = 0;
  if (p->states)
    number = keys_take(p->staging->states, &p->states, p->w.lane, &active);
  const bool live = active >> p->w.lane & 1;
  const floe_state s = state_of(&p->w, live ? queued_key(p, number) : 0);
  if (live)
    emitter->marks = p->cycles->marks + (uint64_t)floe_automaton(s) * FLOE_AUTOMATON_DEGREE;
  p->expanded += live;
  expand_states(p, s, number, live, emitter);
  if (all)
    flush_targets(p, emitter->buffer, 0, true);
}

/* ---- kernels --------------------------------------------------------------------------------------- */

/* What a warp still has of a set: blocks, and words of a block. Warps take blocks in turn. */
struct set_scan {
  uint64_t next;  /* block of lane 0 */
  uint64_t first; /* of those in `left` */
  uint64_t at;    /* the lane's word */
  uint32_t left;  /* lanes whose block has not been read */
  uint32_t bits;  /* of the lane's word */
};

/* The next word of the set for each lane. False: there is none. */
KERNEL_FN bool scan_words(const struct gpu_cycles *cycles, struct set_scan *scan, uint32_t *from, uint32_t *from_blocks,
                          unsigned lane) {
  const uint64_t words = set_words(cycles), count = (words + GPU_WARP - 1) / GPU_WARP;
  bool more = true;
  if (!scan->left) {
    const uint64_t mine = scan->next + lane * warp_count();
    const bool some = mine < count && (!from_blocks || gpu_load32(&from_blocks[mine]));
    if (some && from_blocks)
      gpu_store32(&from_blocks[mine], 0);
    more = scan->next < count;
    scan->first = scan->next;
    scan->next += GPU_WARP * warp_count();
    scan->left = gpu_ballot(some);
  }
  if (scan->left) {
    scan->at = (scan->first + lowest_bit(scan->left) * warp_count()) * GPU_WARP + lane;
    scan->left &= scan->left - 1;
    scan->bits = scan->at < words ? gpu_load32(&from[scan->at]) : 0;
    if (scan->bits && from_blocks)
      gpu_store32(&from[scan->at], 0);
  }
  return more;
}

/* Expands the states of `from`. */
KERNEL_FN void expand_set(struct pass *p, uint32_t *from, uint32_t *from_blocks, FLOE_EMITTER) {
  struct set_scan scan = {0};
  bool more = true;
  scan.next = warp_number();
  GPU_ROLLED
  while (more) {
    if (!gpu_ballot(scan.bits != 0))
      more = scan_words(p->cycles, &scan, from, from_blocks, p->w.lane);
    const bool has = scan.bits != 0;
    const uint64_t number = has ? scan.at * 32 + lowest_bit(scan.bits) : 0;
    scan.bits &= scan.bits - 1;
    p->states = keys_stage(p->staging->states, p->states, number, has, p->w.lane);
    if (p->states >= GPU_WARP || !more)
      expand_staged(p, !more, emitter);
  }
}

/* Adds the lanes' `added` to the level's sum, and returns that of all blocks. Called by all threads. */
KERNEL_FN uint64_t end_level(struct pass *p, uint32_t level) {
  struct gpu_cycle_counts *counts = p->cycles->counts;
  if (p->added)
    gpu_add64(&counts->level_added[level % GPU_CYCLES_COUNTS], p->added);
  p->added = 0;
  if (gpu_block() == 0 && gpu_thread() == 0)
    gpu_store64(&counts->level_added[(level + 1) % GPU_CYCLES_COUNTS], 0);
  grid_meet(&counts->arrived, level);
  return gpu_load64(&counts->level_added[level % GPU_CYCLES_COUNTS]);
}

/* Expands levels of the queue: the states in `from`, then those that went to `next`, and so on in turn. */
KERNEL_FN void expand_levels(struct pass *p, FLOE_EMITTER) {
  const struct gpu_cycles *c = p->cycles;
  uint64_t queued = c->queued, expanded = 0;
  uint32_t level = 0;
  GPU_ROLLED
  do {
    const bool odd = level % 2;
    p->next = odd ? c->from : c->next;
    p->next_blocks = odd ? c->from_blocks : c->next_blocks;
    expand_set(p, odd ? c->next : c->from, odd ? c->next_blocks : c->from_blocks, emitter);
    expanded += queued;
    queued = c->most_levels > 1 ? end_level(p, level) : 0;
    level++;
  } while (queued && level < c->most_levels && expanded < c->most_queued);
  if (gpu_block() == 0 && gpu_thread() == 0) {
    gpu_store64(&c->counts->levels, level);
    gpu_store64(&c->counts->left, queued);
  }
}

/* A cooperative launch: its blocks wait for each other, unless most_levels is 1. */
GPU_KERNEL(floe_cycles_expand, GPU_BLOCK, PASS_LEAST_BLOCKS)
(GPU_PARAMETER FLOE_VISITED table, GPU_PARAMETER struct gpu_space space, GPU_PARAMETER struct gpu_cycles cycles) {
  GPU_SHARED(struct block_passes, block);
  const unsigned warp = gpu_thread() / GPU_WARP;
  struct pass p = {0};
  p.w.table = &table;
  p.w.space = &space;
  p.w.lane = gpu_thread() % GPU_WARP;
  p.cycles = &cycles;
  p.staging = &block->staging[warp];
  struct floe_emitter emitter = {0};
  emitter.condition = cycles.condition;
  emitter.fairness = cycles.fairness;
#ifdef FLOE_MULTIWORD
  uint64_t buffer[BUFFER_KEYS * FLOE_MULTIWORD];
  struct lane_state state;
  emitter.buffer = buffer;
  p.w.state = &state;
#else
  emitter.buffer = &block->buffers[warp][p.w.lane];
#endif
  expand_levels(&p, &emitter);
  add_counts(&p);
}

/* Whether slot `number` has a state whose automaton state may be on an accepting cycle. */
KERNEL_FN bool is_candidate(struct pass *p, uint64_t slots, uint64_t number) {
  uint64_t key;
  return number < slots && content_key(p->w.table, number, &key) &&
         p->cycles->candidates[floe_automaton(state_of(&p->w, queued_key(p, number)))];
}

/* Z: the candidates. A warp makes CANDIDATE_WORDS words at a time: one alone would wait for memory most of the time. */
GPU_KERNEL(floe_cycles_candidates, GPU_BLOCK, PASS_LEAST_BLOCKS)
(GPU_PARAMETER FLOE_VISITED table, GPU_PARAMETER struct gpu_space space, GPU_PARAMETER struct gpu_cycles cycles) {
  struct pass p = {0};
  p.w.table = &table;
  p.w.space = &space;
  p.w.lane = gpu_thread() % GPU_WARP;
  p.cycles = &cycles;
#ifdef FLOE_MULTIWORD
  struct lane_state state;
  p.w.state = &state;
#endif
  const uint64_t slots = content_slots(&table), words = set_words(&cycles);
  GPU_ROLLED
  for (uint64_t first = CANDIDATE_WORDS * warp_number(); first < words; first += CANDIDATE_WORDS * warp_count()) {
    bool candidate[CANDIDATE_WORDS];
    for (unsigned i = 0; i < CANDIDATE_WORDS; i++)
      candidate[i] = is_candidate(&p, slots, (first + i) * 32 + p.w.lane);
    gpu_sync_warp();
    for (unsigned i = 0; i < CANDIDATE_WORDS; i++) {
      const uint32_t mask = gpu_ballot(candidate[i]);
      if (p.w.lane == 0 && first + i < words)
        cycles.z[first + i] = mask;
      p.added += candidate[i];
    }
  }
  if (slots > cycles.slots)
    p.absent = 1;
  add_counts(&p);
}

/* Bit i: count i of these 32 is 0. */
KERNEL_FN uint32_t zero_counts(const uint32_t *counts) {
  uint32_t zero = 0;
  for (unsigned i = 0; i < 8; i++) {
    const uint32_t four = gpu_load32(&counts[i]);
    for (unsigned k = 0; k < 4; k++)
      zero |= (uint32_t)((four >> 8 * k & SATURATED) == 0) << (4 * i + k);
  }
  return zero;
}

/* Removes the states of Z without a counted predecessor, to `next`. A warp processes a block. */
GPU_KERNEL(floe_cycles_remove, GPU_BLOCK, 4)
(GPU_PARAMETER struct gpu_cycles cycles) {
  struct pass p = {0};
  const unsigned lane = gpu_thread() % GPU_WARP;
  p.cycles = &cycles;
  const uint64_t words = set_words(&cycles);
  GPU_ROLLED
  for (uint64_t first = GPU_WARP * warp_number(); first < words; first += GPU_WARP * warp_count()) {
    const uint64_t at = first + lane;
    const uint32_t z = at < words ? gpu_load32(&cycles.z[at]) : 0;
    const uint32_t removed = z ? z & zero_counts(&cycles.predecessors[8 * at]) : 0;
    if (removed) {
      cycles.z[at] = z & ~removed;
      cycles.next[at] = removed;
      gpu_store32(&cycles.next_blocks[first / GPU_WARP], 1);
    }
    p.added += count_bits(removed);
  }
  add_counts(&p);
}

/* Reaches the initial state, whose key is space.source[0]. One warp. */
GPU_KERNEL(floe_cycles_start, GPU_BLOCK, 1)
(GPU_PARAMETER FLOE_VISITED table, GPU_PARAMETER struct gpu_space space, GPU_PARAMETER struct gpu_cycles cycles) {
  struct pass p = {0};
  p.w.lane = gpu_thread() % GPU_WARP;
  p.cycles = &cycles;
  p.next = cycles.next;
  p.next_blocks = cycles.next_blocks;
  if (gpu_thread() >= GPU_WARP)
    return;
  const uint64_t key = key_in_set(&space, space.source[0]);
  uint64_t number = visited_slot_first(&table, key, 1, p.w.lane);
  if (p.w.lane == 0) {
    if (number == LATER_SLOT)
      number = visited_slot_later(&table, key);
    if (number == NO_SLOT)
      p.absent = 1;
    else
      reach(&p, number);
    p.found = number != NO_SLOT && set_has(cycles.z, number);
  }
  add_counts(&p);
}

/* Z keeps what was reached, and states in which the strong condition is not enabled. Counts what is left. */
GPU_KERNEL(floe_cycles_keep, GPU_BLOCK, 2)
(GPU_PARAMETER struct gpu_cycles cycles) {
  const uint64_t words = set_words(&cycles), threads = (uint64_t)gpu_blocks() * GPU_BLOCK;
  struct pass p = {0};
  p.cycles = &cycles;
  GPU_ROLLED
  for (uint64_t i = (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread(); i < words; i += threads) {
    const uint32_t kept = cycles.z[i] & (cycles.reached[i] | (cycles.strong ? ~cycles.enabled[i] : 0));
    cycles.z[i] = kept;
    p.added += count_bits(kept);
  }
  add_counts(&p);
}

/* keys[i] of the states with the numbers keys[i], as in the queue of an exploration. */
GPU_KERNEL(floe_cycles_keys, GPU_BLOCK, 2)
(GPU_PARAMETER FLOE_VISITED table, GPU_PARAMETER struct gpu_space space, uint64_t *keys, uint64_t n) {
  const uint64_t threads = (uint64_t)gpu_blocks() * GPU_BLOCK;
  struct pass p = {0};
  p.w.table = &table;
  p.w.space = &space;
  GPU_ROLLED
  for (uint64_t i = (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread(); i < n; i += threads)
    keys[i] = queued_key(&p, keys[i]);
}

#endif
