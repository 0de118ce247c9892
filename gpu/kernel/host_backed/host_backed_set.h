/* A visited set of two levels, between the explorations of its parts (gpu/engine/host_backed_set.h): candidates that the device
   does not know are put in order for the host, by the partition that they belong to there, and those that the host did
   not know either become states. The text comes after that of a visited set, which holds the oldest keys, those found
   before the device was full; with keys by rank also after that of the model which decodes them. */
#ifndef FLOE_GPU_TWO_LEVELS_H
#define FLOE_GPU_TWO_LEVELS_H

#include "gpu/kernel/host_backed/host_lookup.h"
#include "gpu/kernel/explore/state_checksum.h"

enum {
  MOST_SHARDS = 1024,
  TILE_KEYS = 8 /* that a thread of floe_host_lookup_bin has at once: the more, the longer the runs that a tile writes */
};

/* ---- candidates that the oldest keys do not have --------------------------------------------------- */

struct block_asks {
  uint32_t counts[MOST_SHARDS];
};

KERNEL_FN void clear_counts(uint32_t *counts, unsigned partitions) {
  GPU_ROLLED
  for (unsigned i = gpu_thread(); i < partitions; i += GPU_BLOCK)
    counts[i] = 0;
}

/* One strip of 32. */
KERNEL_FN void ask_strip(const FLOE_VISITED *oldest, const struct gpu_host_lookup *asking, uint32_t *counts, uint64_t at,
                         unsigned lane) {
  const bool mine = lane < asking->count - at;
  const uint64_t key = mine ? asking->found[at + lane] : 0;
  const uint32_t active = gpu_ballot(mine);
  const bool known = asking->has_oldest && visited_find(oldest, key, active, lane);
  const bool asked = mine && !known;
  const uint32_t mask = gpu_ballot(asked);
  const uint64_t position = mask ? keys_append(asking->asked_count, count_bits(mask), lane) : 0;
  if (asked) {
    uint64_t rest;
    asking->asked[position + count_bits(mask & ((UINT32_C(1) << lane) - 1))] = key;
    gpu_count(&counts[shard_of(asking->rule, key, &rest)]);
  }
  gpu_sync_warp();
}

GPU_KERNEL(floe_host_lookup_select, GPU_BLOCK, 4)
(GPU_PARAMETER FLOE_VISITED oldest, GPU_PARAMETER struct gpu_host_lookup asking) {
  GPU_SHARED(struct block_asks, block);
  const unsigned partitions = 1u << asking.rule.bits, lane = gpu_thread() % GPU_WARP;
  clear_counts(block->counts, partitions);
  gpu_sync_block();
  GPU_ROLLED
  for (uint64_t at = warp_number() * GPU_WARP; at < asking.count; at += warp_count() * GPU_WARP)
    ask_strip(&oldest, &asking, block->counts, at, lane);
  gpu_sync_block();
  GPU_ROLLED
  for (unsigned i = gpu_thread(); i < partitions; i += GPU_BLOCK)
    if (block->counts[i])
      gpu_add64(&asking.counts[i], block->counts[i]);
}

/* ---- by partition ---------------------------------------------------------------------------------- */

struct block_bins {
  uint64_t first[MOST_SHARDS];  /* where this tile's keys of the partition go */
  uint32_t counts[MOST_SHARDS]; /* of the tile */
};

/* A tile's keys: GPU_BLOCK * TILE_KEYS of them from `at` on, thread t has every GPU_BLOCK-th. */
struct tile {
  uint64_t rest[TILE_KEYS];
  uint32_t shard[TILE_KEYS], place[TILE_KEYS]; /* the latter: among the tile's keys of the partition */
};

KERNEL_FN uint64_t tile_at(uint64_t at, unsigned i) { return at + (uint64_t)i * GPU_BLOCK + gpu_thread(); }

KERNEL_FN void bin_count(const struct gpu_host_lookup *asking, struct block_bins *block, uint64_t at, uint64_t count,
                         struct tile *tile) {
  GPU_UNROLL
  for (unsigned i = 0; i < TILE_KEYS; i++)
    if (tile_at(at, i) < count) {
      tile->shard[i] = shard_of(asking->rule, asking->asked[tile_at(at, i)], &tile->rest[i]);
      tile->place[i] = gpu_add32(&block->counts[tile->shard[i]], 1);
    }
}

KERNEL_FN void bin_write(const struct gpu_host_lookup *asking, const struct block_bins *block, uint64_t at, uint64_t count,
                         const struct tile *tile) {
  GPU_UNROLL
  for (unsigned i = 0; i < TILE_KEYS; i++)
    if (tile_at(at, i) < count) {
      const uint64_t to = block->first[tile->shard[i]] + tile->place[i];
      asking->keys[to] = asking->asked[tile_at(at, i)];
      if (asking->rest_bytes == 4)
        ((uint32_t *)asking->rests)[to] = (uint32_t)tile->rest[i];
      else
        ((uint64_t *)asking->rests)[to] = tile->rest[i];
    }
}

/* All threads of the block come to every tile. */
GPU_KERNEL(floe_host_lookup_bin, GPU_BLOCK, 4)
(GPU_PARAMETER struct gpu_host_lookup asking) {
  GPU_SHARED(struct block_bins, block);
  const unsigned partitions = 1u << asking.rule.bits;
  const uint64_t count = gpu_load64(asking.asked_count), step = (uint64_t)GPU_BLOCK * TILE_KEYS;
  GPU_ROLLED
  for (uint64_t at = gpu_block() * step; at < count; at += gpu_blocks() * step) {
    struct tile tile;
    clear_counts(block->counts, partitions);
    gpu_sync_block();
    bin_count(&asking, block, at, count, &tile);
    gpu_sync_block();
    GPU_ROLLED
    for (unsigned i = gpu_thread(); i < partitions; i += GPU_BLOCK)
      if (block->counts[i])
        block->first[i] = gpu_add64(&asking.counts[i], block->counts[i]);
    gpu_sync_block();
    bin_write(&asking, block, at, count, &tile);
    gpu_sync_block();
  }
}

/* ---- answers --------------------------------------------------------------------------------------- */

struct block_sums {
  uint64_t checksums[GPU_BLOCK];
};

KERNEL_FN uint64_t sift_strip(const struct gpu_host_answers *sifting, uint64_t at, unsigned lane) {
  const uint32_t mask = sifting->fresh[at / GPU_WARP];
  if (mask == 0)
    return 0;
  const uint64_t position = keys_append(&sifting->control->next_end, count_bits(mask), lane);
  if (!(mask >> lane & 1))
    return 0;
  const uint64_t key = sifting->keys[at + lane];
  const uint64_t place = position + count_bits(mask & ((UINT32_C(1) << lane) - 1));
  sifting->ring[place & sifting->ring_mask] = key;
  return state_mix(key);
}

GPU_KERNEL(floe_host_lookup_apply, GPU_BLOCK, 4)
(GPU_PARAMETER struct gpu_host_answers sifting) {
  GPU_SHARED(struct block_sums, block);
  const unsigned lane = gpu_thread() % GPU_WARP;
  uint64_t sum = 0;
  GPU_ROLLED
  for (uint64_t at = warp_number() * GPU_WARP; at < sifting.count; at += warp_count() * GPU_WARP) {
    sum += sift_strip(&sifting, at, lane);
    gpu_sync_warp();
  }
  block->checksums[gpu_thread()] = sum;
  gpu_sync_block();
  if (gpu_thread() != 0)
    return;
  sum = 0;
  GPU_ROLLED
  for (unsigned i = 0; i < GPU_BLOCK; i++)
    sum += block->checksums[i];
  if (sum)
    gpu_add64(&sifting.control->results.checksum, sum);
}

#endif
