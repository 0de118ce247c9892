/* Paths to states: a backward sweep over the levels of a finished search, which are still in the ring. Each state of a
   level is expanded once, and its successors are compared with the states that the paths have in the next level. The
   text follows emitter.h and the generated code of a model. */
#ifndef FLOE_GPU_PREDECESSORS_H
#define FLOE_GPU_PREDECESSORS_H

#include "gpu/kernel/base/control.h"
#include "gpu/kernel/base/grid_meet.h"
#include "gpu/kernel/base/multiword.h"
#include "gpu/kernel/explore/fire_groups.h"
#include "gpu/kernel/explore/state_checksum.h"

#ifdef FLOE_MULTIWORD
#define FLOE_TARGET_WORDS FLOE_MULTIWORD
#define TARGET_LOOP MULTIWORD_LOOP
#else
#define FLOE_TARGET_WORDS 1
#define TARGET_LOOP GPU_UNROLL
#endif

/* Largest level that block 0 searches alone, while the other blocks wait: a few rounds of a block take less time than
   a barrier of all blocks. The tests set another value. */
#ifndef FLOE_SMALL_SWEEP
#define FLOE_SMALL_SWEEP (8 * GPU_BLOCK)
#endif

struct block_space {
  uint64_t targets[GPU_SWEEP_TARGETS][FLOE_TARGET_WORDS]; /* states of the paths in the next level */
  uint32_t active;                                        /* mask of the paths that have one */
  uint32_t filter;                                        /* bits of these states (target_bit) */
#ifdef FLOE_TRANSIENT
  const struct gpu_sequences *sequences;
#endif
};

/* ---- comparing successors ------------------------------------------------------------------------ */

/* One of 32 bits for a state. */
KERNEL_FN uint32_t target_bit(const uint64_t *words) {
  uint64_t mix = words[0];
  TARGET_LOOP
  for (int i = 1; i < FLOE_TARGET_WORDS; i++)
    mix = (mix << 7 | mix >> 57) ^ words[i];
  const uint32_t half = (uint32_t)mix ^ (uint32_t)(mix >> 32);
  return UINT32_C(1) << (half * UINT32_C(0x9e3779b1) >> 27);
}

/* By value: with a pointer to a successor's words, NVRTC needed minutes for a model of 30 transitions. */
struct target_words {
  uint64_t w[FLOE_TARGET_WORDS];
};

/* Mask of the paths whose target is this state. Few successors pass the filter: not inlined, because the code occurs
   once for each firing of the model. */
KERNEL_FN_APART uint32_t targets_equal(const struct block_space *block, const struct target_words state) {
  uint32_t equal = 0;
  GPU_ROLLED
  for (uint32_t rest = block->active; rest; rest &= rest - 1) {
    const unsigned i = lowest_bit(rest);
    bool same = true;
    TARGET_LOOP
    for (int w = 0; w < FLOE_TARGET_WORDS; w++)
      same = same && block->targets[i][w] == state.w[w];
    equal |= same ? UINT32_C(1) << i : 0;
  }
  return equal;
}

/* Here emitter->degree is the filter, emitter->used the mask of the targets that the state leads to, and `failed` that
   something fired (FLOE_NOTHING_FIRED). */
KERNEL_FN void test_successor(struct floe_emitter *emitter, const uint64_t *words) {
  if (FLOE_OTHERWISE_INITIATOR >= 0)
    emitter->failed = true;
  if (!(emitter->degree & target_bit(words)))
    return;
  struct target_words state;
  TARGET_LOOP
  for (int w = 0; w < FLOE_TARGET_WORDS; w++)
    state.w[w] = words[w];
  emitter->used |= targets_equal(emitter->block, state);
}

#ifdef FLOE_MULTIWORD
KERNEL_FN void floe_emit(struct floe_emitter *emitter, uint32_t number, const uint64_t *words) {
  (void)number;
  test_successor(emitter, words);
}
#else
KERNEL_FN void floe_emit(struct floe_emitter *emitter, uint32_t number, uint64_t key) {
  (void)number;
  test_successor(emitter, &key);
}
#endif

/* The exploration met no such successor. */
KERNEL_FN void floe_no_key(struct floe_emitter *emitter) { (void)emitter; }

#ifdef FLOE_TRANSIENT
KERNEL_FN void floe_count_firing(struct floe_emitter *emitter, uint32_t number) { (void)emitter, (void)number; }
KERNEL_FN void floe_exceeds(struct floe_emitter *emitter) { (void)emitter; }

#include "gpu/kernel/explore/sequences.h"

/* Sequences are followed after each group of transitions, as in the exploration, so the stacks are deep enough. */
KERNEL_FN void fire_sequences(const floe_state s, FLOE_EMITTER) {
  const FLOE_SHARED committed = floe_committed(s);
  const unsigned groups = group_count(emitter->arcs);
  sequences_begin(emitter, emitter->block->sequences);
  GPU_ROLLED
  for (unsigned group = 0; group < groups; group++) {
    sequences_begin_state(emitter);
    fire_group(s, committed, group, emitter);
    GPU_ROLLED
    while (emitter->pending > 0)
      floe_follow(emitter);
  }
}
#endif

/* ---- one state ------------------------------------------------------------------------------------- */

KERNEL_FN void key_words(const struct gpu_space *space, uint64_t key, uint64_t *words) {
#ifdef FLOE_MULTIWORD
  struct lane_state state;
  multiword_decompose(space, key, &state);
  MULTIWORD_LOOP
  for (int i = 0; i < FLOE_TARGET_WORDS; i++)
    words[i] = state.words[i];
#else
  (void)space;
  words[0] = key;
#endif
}

KERNEL_FN floe_state swept_state(const struct gpu_space *space, uint64_t key) {
#ifdef FLOE_INDEX_KEYS
  (void)space;
  return floe_decode(key);
#else
  floe_state s;
  key_words(space, key, s.w);
  return s;
#endif
}

KERNEL_FN void sweep_state(const struct gpu_space *space, struct block_space *block, uint64_t *predecessors,
                           uint64_t key) {
  struct floe_emitter emitter;
  emitter.buffer = 0;
  emitter.used = 0;
  emitter.degree = block->filter;
  emitter.failed = false;
  emitter.block = block;
  emitter.arcs = &space->arcs;
#ifdef FLOE_TRANSIENT
  fire_sequences(swept_state(space, key), &emitter);
#else
  fire_groups(swept_state(space, key), &emitter);
#endif
  GPU_ROLLED
  for (uint32_t rest = emitter.used; rest; rest &= rest - 1)
    keep_least(space, &predecessors[lowest_bit(rest)], key);
}

/* ---- levels ---------------------------------------------------------------------------------------- */

/* Reads the targets: the states of the paths in the level after this one. Their atomics happened before a barrier. */
KERNEL_FN void read_targets(const struct gpu_space *space, const struct gpu_sweep *sweep, struct block_space *block,
                            uint32_t level) {
  const unsigned i = gpu_thread();
  if (i == 0)
    block->active = block->filter = 0;
  gpu_sync_block();
  if (i < sweep->count && sweep->depths[i] > level) {
    uint64_t *const words = block->targets[i];
    if (sweep->depths[i] == level + 1)
      TARGET_LOOP
    for (int w = 0; w < FLOE_TARGET_WORDS; w++)
      words[w] = sweep->targets[i * FLOE_TARGET_WORDS + w];
    else key_words(space, gpu_load64(&sweep->path_keys[(uint64_t)(level + 1) * sweep->count + i]), words);
    gpu_or32(&block->active, UINT32_C(1) << i);
    gpu_or32(&block->filter, target_bit(words));
  }
  gpu_sync_block();
}

KERNEL_FN uint64_t level_size(const struct gpu_sweep *sweep, uint32_t level) {
  return sweep->levels[level + 1] - sweep->levels[level];
}

KERNEL_FN void sweep_level(const struct gpu_space *space, const struct gpu_sweep *sweep, struct block_space *block,
                           uint32_t level, bool alone) {
  uint64_t *const predecessors = sweep->path_keys + (uint64_t)level * sweep->count;
  const uint64_t first = sweep->levels[level], size = level_size(sweep, level);
  const uint64_t step = alone ? GPU_BLOCK : (uint64_t)gpu_blocks() * GPU_BLOCK;
  read_targets(space, sweep, block, level);
  GPU_ROLLED
  for (uint64_t i = alone ? gpu_thread() : (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread(); i < size; i += step)
    sweep_state(space, block, predecessors, space->ring[(first + i) & space->ring_mask]);
  gpu_sync_block(); /* the targets of a block alone, and of the next level */
}

/* Levels from + count - 1 down to `from`. Consecutive small levels need no barrier. */
GPU_KERNEL(floe_predecessors, GPU_BLOCK, 1)
(GPU_PARAMETER struct gpu_space space, GPU_PARAMETER struct gpu_sweep sweep FLOE_SEQUENCES_PARAMETER) {
  GPU_SHARED(struct block_space, block);
#ifdef FLOE_TRANSIENT
  if (gpu_thread() == 0)
    block->sequences = &sequences; /* read_targets synchronises the block */
#endif
  uint32_t barriers = 0;
  GPU_ROLLED
  for (uint32_t level = sweep.from + sweep.level_count; level-- > sweep.from;) {
    const bool alone = level_size(&sweep, level) <= FLOE_SMALL_SWEEP;
    if (!alone || gpu_block() == 0)
      sweep_level(&space, &sweep, block, level, alone);
    if (level > sweep.from && !(alone && level_size(&sweep, level - 1) <= FLOE_SMALL_SWEEP))
      grid_meet(sweep.arrived, barriers++);
  }
}

#endif
