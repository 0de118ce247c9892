/* Lists the content of a table as arrays, to move it to another table, or to inspect it. The text follows the
   scheme's, which defines bool slot_content(const VIEW *table, uint64_t i, uint64_t *key, uint64_t *value): false if
   slot i, of all that the shape counts, has no key. For a set *value is unchanged. */
#ifndef FLOE_GPU_LIST_H
#define FLOE_GPU_LIST_H

#include "gpu/kernel/base/control.h"

#ifdef FLOE_TABLE_VIEW
/* Writes the keys of slots [first, first + n) from keys[*count] on, in any order, with their values if `values` is
   not 0, and adds their number to *count. Any grid. */
GPU_KERNEL(floe_table_list, GPU_BLOCK, 2)
(GPU_PARAMETER FLOE_TABLE_VIEW table, uint64_t first, uint64_t n, uint64_t *keys, uint64_t *values, uint64_t *count) {
  const uint64_t threads = (uint64_t)gpu_blocks() * GPU_BLOCK;
  const unsigned lane = gpu_thread() % GPU_WARP;
  GPU_ROLLED
  for (uint64_t at = (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread() - lane; at < n; at += threads) {
    uint64_t key = 0, value = 0, begin = 0;
    const bool has = at + lane < n && slot_content(&table, first + at + lane, &key, &value);
    const uint32_t lanes = gpu_ballot(has);
    if (lane == 0 && lanes)
      begin = gpu_add64(count, count_bits(lanes));
    begin = gpu_shuffle64(begin, 0) + count_bits(lanes & ((UINT32_C(1) << lane) - 1));
    if (has)
      keys[begin] = key;
    if (has && values)
      values[begin] = value;
  }
}

/* Adds the number of FULL answers to *count. Any grid. */
GPU_KERNEL(floe_table_left, GPU_BLOCK, 2)
(const uint8_t *answers, uint64_t n, uint64_t *count) {
  const uint64_t threads = (uint64_t)gpu_blocks() * GPU_BLOCK;
  for (uint64_t i = (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread(); i < n; i += threads)
    if (answers[i] == 2)
      gpu_add64(count, 1);
}
#endif

#endif
