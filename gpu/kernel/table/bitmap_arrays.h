/* The bitmap's operations on arrays of keys, as table_run (src/tables/table.h) on the host:
     floe_table_find, floe_table_find_or_put, floe_table_put, floe_table_delete
   All have the same parameters, blocks of GPU_BLOCK threads and any grid; keys are below the table's `keys`. */
#ifndef FLOE_GPU_BITMAP_ARRAYS_H
#define FLOE_GPU_BITMAP_ARRAYS_H

#include "gpu/kernel/base/control.h"
#include "gpu/kernel/visited/bitmap_find_or_put.h"

enum { ARRAY_KEYS = 4 }; /* of a lane, whose words are in flight together */
enum bitmap_work { BITMAP_DO_FIND, BITMAP_DO_PUT, BITMAP_DO_DELETE };

/* FOUND: the key was present. */
KERNEL_FN unsigned lane_delete(const struct bitmap *table, uint64_t key) {
  const uint32_t bit = bit_of(key);
  return gpu_and32(word_of(table, key), ~bit) & bit ? BITMAP_FOUND : BITMAP_FULL;
}

KERNEL_FN unsigned answer_with(const struct bitmap *table, uint64_t key, uint32_t seen, unsigned work) {
  const uint32_t bit = bit_of(key);
  if (work == BITMAP_DO_DELETE)
    return seen & bit ? lane_delete(table, key) : (unsigned)BITMAP_FULL;
  if (seen & bit)
    return BITMAP_FOUND;
  if (work == BITMAP_DO_FIND)
    return BITMAP_FULL;
  return gpu_or32(word_of(table, key), bit) & bit ? BITMAP_FOUND : BITMAP_PUT;
}

KERNEL_FN void bitmap_arrays(const struct bitmap *table, const uint64_t *keys, uint64_t n, uint8_t *answers,
                             unsigned work) {
  const uint64_t threads = (uint64_t)gpu_blocks() * GPU_BLOCK;
  GPU_ROLLED
  for (uint64_t at = (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread(); at < n; at += ARRAY_KEYS * threads) {
    uint64_t mine[ARRAY_KEYS];
    uint32_t words[ARRAY_KEYS];
    GPU_UNROLL
    for (unsigned k = 0; k < ARRAY_KEYS; k++) {
      mine[k] = at + k * threads < n ? keys[at + k * threads] : 0;
      words[k] = gpu_load32_if(word_of(table, mine[k]), at + k * threads < n, 0);
    }
    GPU_UNROLL
    for (unsigned k = 0; k < ARRAY_KEYS; k++)
      if (at + k * threads < n)
        answers[at + k * threads] = (uint8_t)answer_with(table, mine[k], words[k], work);
  }
}

/* ---- kernels --------------------------------------------------------------------------------------- */

GPU_KERNEL(floe_table_find, GPU_BLOCK, 4)
(GPU_PARAMETER struct bitmap table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  (void)values;
  bitmap_arrays(&table, keys, n, answers, BITMAP_DO_FIND);
}

GPU_KERNEL(floe_table_find_or_put, GPU_BLOCK, 4)
(GPU_PARAMETER struct bitmap table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  (void)values;
  bitmap_arrays(&table, keys, n, answers, BITMAP_DO_PUT);
}

GPU_KERNEL(floe_table_put, GPU_BLOCK, 4)
(GPU_PARAMETER struct bitmap table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  (void)values;
  bitmap_arrays(&table, keys, n, answers, BITMAP_DO_PUT);
}

GPU_KERNEL(floe_table_delete, GPU_BLOCK, 4)
(GPU_PARAMETER struct bitmap table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  (void)values;
  bitmap_arrays(&table, keys, n, answers, BITMAP_DO_DELETE);
}

/* ---- what is in a slot ----------------------------------------------------------------------------- */

KERNEL_FN bool slot_content(const struct bitmap *table, uint64_t i, uint64_t *key, uint64_t *value) {
  (void)value;
  *key = i;
  return i < table->keys && lane_find(table, i);
}

#include "gpu/kernel/table/list_content.h"

#endif
