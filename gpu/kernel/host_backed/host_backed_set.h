/* Kernels of a host-backed visited set (gpu/explore/host_backed_set.h), launched between explorations. They group the
   candidates that the device does not contain by the host's shards, and turn those that the host reports as new into
   states. The text follows that of a visited set, which holds the device base: the keys found before the device was
   full. With index keys it also follows the model's code that decodes them. */
#ifndef FLOE_GPU_HOST_BACKED_SET_H
#define FLOE_GPU_HOST_BACKED_SET_H

#include "gpu/kernel/explore/state_checksum.h"
#include "gpu/kernel/host_backed/host_lookup.h"

enum {
  MOST_SHARDS = 1024,
  TILE_KEYS = 8 /* keys that a thread of floe_host_lookup_bin has at once: more keys give longer runs per tile */
};

/* ---- candidates that the device base does not contain ---------------------------------------------- */

struct block_counts {
  uint32_t counts[MOST_SHARDS];
};

KERNEL_FN void clear_counts(uint32_t *counts, unsigned shards) {
  GPU_ROLLED
  for (unsigned i = gpu_thread(); i < shards; i += GPU_BLOCK)
    counts[i] = 0;
}

/* A strip of 32 candidates. */
KERNEL_FN void select_strip(const FLOE_VISITED *base, const struct gpu_host_lookup *lookup, uint32_t *counts,
                            uint64_t at, unsigned lane) {
  const bool mine = lane < lookup->count - at;
  const uint64_t key = mine ? lookup->candidates[at + lane] : 0;
  const uint32_t active = gpu_ballot(mine);
  const bool known = lookup->has_base && visited_find(base, key, active, lane);
  const bool unresolved = mine && !known;
  const uint32_t mask = gpu_ballot(unresolved);
  const uint64_t position = mask ? keys_append(lookup->unresolved_count, count_bits(mask), lane) : 0;
  if (unresolved) {
    uint64_t rest;
    lookup->unresolved[position + count_bits(mask & ((UINT32_C(1) << lane) - 1))] = key;
    gpu_count(&counts[shard_of(lookup->rule, key, &rest)]);
  }
  gpu_sync_warp();
}

GPU_KERNEL(floe_host_lookup_select, GPU_BLOCK, 4)
(GPU_PARAMETER FLOE_VISITED base, GPU_PARAMETER struct gpu_host_lookup lookup) {
  GPU_SHARED(struct block_counts, block);
  const unsigned shards = 1u << lookup.rule.bits, lane = gpu_thread() % GPU_WARP;
  clear_counts(block->counts, shards);
  gpu_sync_block();
  GPU_ROLLED
  for (uint64_t at = warp_number() * GPU_WARP; at < lookup.count; at += warp_count() * GPU_WARP)
    select_strip(&base, &lookup, block->counts, at, lane);
  gpu_sync_block();
  GPU_ROLLED
  for (unsigned i = gpu_thread(); i < shards; i += GPU_BLOCK)
    if (block->counts[i])
      gpu_add64(&lookup.counts[i], block->counts[i]);
}

/* ---- grouping by shard ----------------------------------------------------------------------------- */

struct block_bins {
  uint64_t first[MOST_SHARDS];  /* index of this tile's first key of the shard */
  uint32_t counts[MOST_SHARDS]; /* of the tile */
};

/* A tile: GPU_BLOCK * TILE_KEYS keys from `at` on; thread t has every GPU_BLOCK-th of them. */
struct tile {
  uint64_t rest[TILE_KEYS];
  uint32_t shard[TILE_KEYS], place[TILE_KEYS]; /* place: among the tile's keys of the shard */
};

KERNEL_FN uint64_t tile_at(uint64_t at, unsigned i) { return at + (uint64_t)i * GPU_BLOCK + gpu_thread(); }

KERNEL_FN void bin_count(const struct gpu_host_lookup *lookup, struct block_bins *block, uint64_t at, uint64_t count,
                         struct tile *tile) {
  GPU_UNROLL
  for (unsigned i = 0; i < TILE_KEYS; i++)
    if (tile_at(at, i) < count) {
      tile->shard[i] = shard_of(lookup->rule, lookup->unresolved[tile_at(at, i)], &tile->rest[i]);
      tile->place[i] = gpu_add32(&block->counts[tile->shard[i]], 1);
    }
}

KERNEL_FN void bin_write(const struct gpu_host_lookup *lookup, const struct block_bins *block, uint64_t at,
                         uint64_t count, const struct tile *tile) {
  GPU_UNROLL
  for (unsigned i = 0; i < TILE_KEYS; i++)
    if (tile_at(at, i) < count) {
      const uint64_t to = block->first[tile->shard[i]] + tile->place[i];
      lookup->keys[to] = lookup->unresolved[tile_at(at, i)];
      if (lookup->rest_bytes == 4)
        ((uint32_t *)lookup->rests)[to] = (uint32_t)tile->rest[i];
      else
        ((uint64_t *)lookup->rests)[to] = tile->rest[i];
    }
}

/* All threads of the block process every tile. */
GPU_KERNEL(floe_host_lookup_bin, GPU_BLOCK, 4)
(GPU_PARAMETER struct gpu_host_lookup lookup) {
  GPU_SHARED(struct block_bins, block);
  const unsigned shards = 1u << lookup.rule.bits;
  const uint64_t count = gpu_load64(lookup.unresolved_count), step = (uint64_t)GPU_BLOCK * TILE_KEYS;
  GPU_ROLLED
  for (uint64_t at = gpu_block() * step; at < count; at += gpu_blocks() * step) {
    struct tile tile;
    clear_counts(block->counts, shards);
    gpu_sync_block();
    bin_count(&lookup, block, at, count, &tile);
    gpu_sync_block();
    GPU_ROLLED
    for (unsigned i = gpu_thread(); i < shards; i += GPU_BLOCK)
      if (block->counts[i])
        block->first[i] = gpu_add64(&lookup.counts[i], block->counts[i]);
    gpu_sync_block();
    bin_write(&lookup, block, at, count, &tile);
    gpu_sync_block();
  }
}

/* ---- answers --------------------------------------------------------------------------------------- */

struct block_sums {
  uint64_t checksums[GPU_BLOCK];
};

KERNEL_FN uint64_t apply_strip(const struct gpu_host_answers *answers, uint64_t at, unsigned lane) {
  const uint32_t mask = answers->fresh[at / GPU_WARP];
  if (mask == 0)
    return 0;
  const uint64_t position = keys_append(&answers->control->next_end, count_bits(mask), lane);
  if (!(mask >> lane & 1))
    return 0;
  const uint64_t key = answers->keys[at + lane];
  const uint64_t place = position + count_bits(mask & ((UINT32_C(1) << lane) - 1));
  answers->ring[place & answers->ring_mask] = key;
  return state_mix(key);
}

GPU_KERNEL(floe_host_lookup_apply, GPU_BLOCK, 4)
(GPU_PARAMETER struct gpu_host_answers answers) {
  GPU_SHARED(struct block_sums, block);
  const unsigned lane = gpu_thread() % GPU_WARP;
  uint64_t sum = 0;
  GPU_ROLLED
  for (uint64_t at = warp_number() * GPU_WARP; at < answers.count; at += warp_count() * GPU_WARP) {
    sum += apply_strip(&answers, at, lane);
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
    gpu_add64(&answers.control->results.checksum, sum);
}

#endif
