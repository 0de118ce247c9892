/* The iceberg table's operations on arrays of keys, as table_run (src/table/table.h) on the host:
     floe_table_find, floe_table_find_or_put, floe_table_put
   All have the same parameters, blocks of GPU_BLOCK threads and any grid. */
#ifndef FLOE_GPU_ICEBERG_ARRAYS_H
#define FLOE_GPU_ICEBERG_ARRAYS_H

#include "gpu/kernel/warp.h"

/* Keys whose primary bucket is full wait with their numbers until there are 32. */
struct waiting {
  uint64_t keys[2 * GPU_WARP], numbers[2 * GPU_WARP];
};

struct block_waiting {
  struct waiting waiting[GPU_WARPS];
};

KERNEL_FN uint8_t final_answer(unsigned answer, bool put) {
  return (uint8_t)(put || answer == ICEBERG_FOUND ? answer : (unsigned)ICEBERG_FULL);
}

KERNEL_FN uint32_t answer_waiting(const struct iceberg *table, struct waiting *waiting,
                                  uint32_t count, unsigned lane, uint8_t *answers, bool put) {
  uint32_t active, rest = count;
  const uint64_t number = keys_take(waiting->numbers, &rest, lane, &active);
  const uint64_t key = keys_take(waiting->keys, &count, lane, &active);
  const unsigned answer = warp_later(table, key, active, lane, put);
  if (active >> lane & 1)
    answers[number] = final_answer(answer, put);
  return count;
}

KERNEL_FN void answer_arrays(const struct iceberg *table, const uint64_t *keys, uint64_t n,
                             uint8_t *answers, bool put) {
  GPU_SHARED(struct block_waiting, block);
  struct waiting *const waiting = &block->waiting[gpu_thread() / GPU_WARP];
  const unsigned lane = gpu_thread() % GPU_WARP;
  uint32_t count = 0;
  uint64_t at = warp_number() * GPU_WARP;
  GPU_ROLLED
  for (bool more = true; more || count;) {
    more = at < n;
    if (more) {
      const bool mine = lane < n - at;
      const uint64_t key = mine ? keys[at + lane] : 0;
      const unsigned answer = warp_first(table, key, gpu_ballot(mine), lane, put);
      const bool late = mine && answer == ICEBERG_FULL;
      if (mine && !late)
        answers[at + lane] = final_answer(answer, put);
      keys_hold(waiting->numbers, count, at + lane, late, lane);
      count = keys_hold(waiting->keys, count, key, late, lane);
      at += warp_count() * GPU_WARP;
    }
    if (count >= GPU_WARP || (!more && count))
      count = answer_waiting(table, waiting, count, lane, answers, put);
  }
}

GPU_KERNEL(floe_table_find, GPU_BLOCK, 4)
(GPU_PARAMETER struct iceberg table, uint64_t *keys, uint64_t *values, uint64_t n,
 uint8_t *answers) {
  (void)values;
  answer_arrays(&table, keys, n, answers, false);
}

GPU_KERNEL(floe_table_find_or_put, GPU_BLOCK, 4)
(GPU_PARAMETER struct iceberg table, uint64_t *keys, uint64_t *values, uint64_t n,
 uint8_t *answers) {
  (void)values;
  answer_arrays(&table, keys, n, answers, true);
}

/* New keys take the same way: the compare with what stands before them costs nothing beside the read. */
GPU_KERNEL(floe_table_put, GPU_BLOCK, 4)
(GPU_PARAMETER struct iceberg table, uint64_t *keys, uint64_t *values, uint64_t n,
 uint8_t *answers) {
  (void)values;
  answer_arrays(&table, keys, n, answers, true);
}

#endif
