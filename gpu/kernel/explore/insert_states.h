/* Insertion of states from the host: keys into the visited set and the queue, roots for states of several words. The
   text follows the exploration's. */
#ifndef FLOE_GPU_INSERT_H
#define FLOE_GPU_INSERT_H

#include "gpu/kernel/base/warp.h"
#include "gpu/kernel/explore/state.h"

#ifndef FLOE_DEVICE_CACHE
struct block_insert {
  uint64_t checksums[GPU_BLOCK];
  struct staging staging[GPU_WARPS];
};

KERNEL_FN void insert_keys(struct warp *w, uint64_t at) {
  const bool mine = w->lane < w->space->source_count - at;
  const uint64_t key = mine ? w->space->source[at + w->lane] : 0;
  unsigned answer = VISITED_FOUND;
  if (mine)
    answer = visited_single_lane(w->table, key_of_set(w, key));
  gpu_sync_warp();
  process_answers(w, key, gpu_ballot(mine), answer, true);
}

/* Inserts keys from the host. They are few: each lane looks up its own key, which is little code. Done by warps, it
   was half of what NVRTC had to compile for a small model. */
GPU_KERNEL(floe_insert, GPU_BLOCK, 2)
(GPU_PARAMETER FLOE_VISITED table, GPU_PARAMETER struct gpu_space space) {
  GPU_SHARED(struct block_insert, block);
  struct warp w = {0};
  w.table = &table;
  w.space = &space;
  w.staging = &block->staging[gpu_thread() / GPU_WARP];
  w.lane = gpu_thread() % GPU_WARP;
  w.checksum = &block->checksums[gpu_thread()];
  *w.checksum = 0;
  bool more = true;
  GPU_ROLLED
  for (uint64_t at = warp_number() * GPU_WARP; more; at += warp_count() * GPU_WARP) {
    more = at < space.source_count;
    if (more)
      insert_keys(&w, at);
    if (w.fresh >= GPU_WARP || (!more && w.fresh))
      append_fresh(&w);
  }
  if (*w.checksum)
    gpu_add64(&space.control->results.checksum, *w.checksum);
}
#endif

#if defined FLOE_MEMBERS && !defined FLOE_MULTIWORD
enum { RECEIVED_KEYS = 4, RECEIVED_STRIP = RECEIVED_KEYS * (int)GPU_WARP }; /* of a lane, of a warp, at once */

struct block_receive {
  uint64_t checksums[GPU_BLOCK];
  struct staging staging[GPU_WARPS];
  uint64_t buffers[GPU_WARPS][RECEIVED_STRIP];
};

/* A strip of received keys, laid out like the buffers of an exploring warp. */
KERNEL_FN void receive_keys(struct warp *w, uint64_t *buffers, uint64_t at, bool more) {
  const uint64_t count = more ? w->space->source_count - at : 0;
  uint32_t n = 0;
  GPU_UNROLL
  for (uint32_t k = 0; k < RECEIVED_KEYS; k++)
    if (k * GPU_WARP + w->lane < count) {
      buffers[k * GPU_WARP + w->lane] = w->space->source[at + k * GPU_WARP + w->lane];
      n++;
    }
  gpu_sync_warp();
  warp_flush(w, buffers, n, RECEIVED_KEYS, !more);
  gpu_sync_warp(); /* before the next keys overwrite them */
}

GPU_KERNEL(floe_receive, GPU_BLOCK, FLOE_LEAST_BLOCKS)
(GPU_PARAMETER FLOE_VISITED table, GPU_PARAMETER struct gpu_space space) {
  GPU_SHARED(struct block_receive, block);
  const unsigned number = gpu_thread() / GPU_WARP;
  struct warp w = {0};
  w.table = &table;
  w.space = &space;
  w.staging = &block->staging[number];
  w.lane = gpu_thread() % GPU_WARP;
  w.checksum = &block->checksums[gpu_thread()];
  *w.checksum = 0;
  bool more = true;
  GPU_ROLLED
  for (uint64_t at = warp_number() * RECEIVED_STRIP; more; at += warp_count() * RECEIVED_STRIP) {
    more = at < space.source_count;
    receive_keys(&w, block->buffers[number], at, more);
  }
  if (*w.checksum)
    gpu_add64(&space.control->results.checksum, *w.checksum);
}
#endif

#ifdef FLOE_MULTIWORD
/* Without a parent state, one lane per state: they are few. */
GPU_KERNEL(floe_tree_roots, GPU_BLOCK, 1)
(GPU_PARAMETER struct gpu_space space) {
  const uint64_t threads = (uint64_t)gpu_blocks() * GPU_BLOCK;
  struct lane_state no_parent;
  for (uint32_t i = 0; i < MULTIWORD_TABLES; i++)
    no_parent.numbers[i] = UINT32_MAX;
  GPU_ROLLED
  for (uint64_t at = (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread(); at < space.source_count; at += threads) {
    const uint64_t *const words = space.tree_pending + at * MULTIWORD_WORDS;
    uint64_t root = 0;
    for (uint32_t w = 0; w < MULTIWORD_WORDS; w++)
      no_parent.words[w] = ~words[w];
    if (!multiword_root(&space, &no_parent, words, &root))
      gpu_add64(&space.control->tree_pending_count, 1);
    ((uint64_t *)space.source)[at] = root;
  }
}

/* All contents are distinct, so a number takes the first empty slot. */
GPU_KERNEL(floe_tree_put, GPU_BLOCK, 1)
(GPU_PARAMETER struct tree_table table, uint64_t n) {
  const uint64_t threads = (uint64_t)gpu_blocks() * GPU_BLOCK;
  GPU_ROLLED
  for (uint64_t number = (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread(); number < n; number += threads) {
    const uint64_t hash = tree_hash(tree_content(&table, (uint32_t)number));
    uint64_t at = tree_home(&table, hash);
    while (slot_claim(table.slots, at, 64, hash << 32 | (number + 1)) != 0)
      at = (at + 1) & table.slot_mask;
  }
}
#endif

#endif
