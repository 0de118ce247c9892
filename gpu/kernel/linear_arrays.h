/* The linear table's operations on arrays of keys, as table_run (src/table/table.h) on the host:
     floe_table_find, floe_table_find_or_put, floe_table_put, floe_table_delete; of a map floe_table_get, floe_table_add
   All have the same parameters, blocks of GPU_BLOCK threads and any grid. What may go on at the same time is said in
   src/table/linear.h; the keys of an array are worked on in any order.

   Set before: FLOE_KEY_BITS, FLOE_PERMUTATION, FLOE_SLOT_BITS, FLOE_VALUE_BITS, FLOE_REDUCTION (none: 0). */
#ifndef FLOE_GPU_LINEAR_ARRAYS_H
#define FLOE_GPU_LINEAR_ARRAYS_H

#include "gpu/kernel/control.h"
#include "gpu/kernel/linear_search.h"

#ifndef FLOE_REDUCTION
#define FLOE_REDUCTION 0
#endif

KERNEL_FN struct linear_form linear_form(void) {
  const struct linear_form f = {FLOE_SLOT_BITS, FLOE_VALUE_BITS, FLOE_REDUCTION};
  return f;
}

/* ---- arrays -------------------------------------------------------------------------------------- */

KERNEL_FN unsigned linear_one(const struct linear *table, uint64_t key, uint64_t *value,
                              unsigned work) {
  struct linear_search search = lane_search(table, key);
  const bool match = linear_skip(table, &search);
  if (FLOE_VALUE_BITS == 0 && work != LINEAR_DO_DELETE)
    return linear_set_finish(table, search, match, work);
  return linear_answer(table, search, value, linear_form(), work);
}

KERNEL_FN bool takes_value(unsigned work) {
  return FLOE_VALUE_BITS != 0 && (work == LINEAR_DO_PUT || work == LINEAR_DO_ADD);
}

/* The lanes of a warp come together after each key: those whose search was short would go ahead otherwise, and read the
   next keys in pieces. */
KERNEL_FN void linear_arrays(const struct linear *table, const uint64_t *keys, uint64_t *values,
                             uint64_t n, uint8_t *answers, unsigned work) {
  const uint64_t threads = (uint64_t)gpu_blocks() * GPU_BLOCK;
  const unsigned lane = gpu_thread() % GPU_WARP;
  GPU_ROLLED
  for (uint64_t at = (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread() - lane; at < n;
       at += threads) {
    const uint64_t i = at + lane;
    if (i < n) {
      uint64_t value = takes_value(work) && values ? values[i] : 0;
      const unsigned answer = linear_one(table, keys[i], &value, work);
      answers[i] = (uint8_t)answer;
      if (work == LINEAR_DO_GET && answer == LINEAR_FOUND && values)
        values[i] = value;
    }
    gpu_sync_warp();
  }
}

/* ---- kernels --------------------------------------------------------------------------------------- */

GPU_KERNEL(floe_table_find, GPU_BLOCK, 4)
(GPU_PARAMETER struct linear table, uint64_t *keys, uint64_t *values, uint64_t n,
 uint8_t *answers) {
  linear_arrays(&table, keys, values, n, answers, LINEAR_DO_FIND);
}

GPU_KERNEL(floe_table_find_or_put, GPU_BLOCK, 4)
(GPU_PARAMETER struct linear table, uint64_t *keys, uint64_t *values, uint64_t n,
 uint8_t *answers) {
  linear_arrays(&table, keys, values, n, answers, LINEAR_DO_PUT);
}

/* New keys take the same way: the compare with what stands before them costs nothing beside the read. */
GPU_KERNEL(floe_table_put, GPU_BLOCK, 4)
(GPU_PARAMETER struct linear table, uint64_t *keys, uint64_t *values, uint64_t n,
 uint8_t *answers) {
  linear_arrays(&table, keys, values, n, answers, LINEAR_DO_PUT);
}

#if FLOE_VALUE_BITS || FLOE_KEY_BITS < FLOE_SLOT_BITS
GPU_KERNEL(floe_table_delete, GPU_BLOCK, 4)
(GPU_PARAMETER struct linear table, uint64_t *keys, uint64_t *values, uint64_t n,
 uint8_t *answers) {
  linear_arrays(&table, keys, values, n, answers, LINEAR_DO_DELETE);
}
#endif

#if FLOE_VALUE_BITS
GPU_KERNEL(floe_table_get, GPU_BLOCK, 4)
(GPU_PARAMETER struct linear table, uint64_t *keys, uint64_t *values, uint64_t n,
 uint8_t *answers) {
  linear_arrays(&table, keys, values, n, answers, LINEAR_DO_GET);
}

GPU_KERNEL(floe_table_add, GPU_BLOCK, 4)
(GPU_PARAMETER struct linear table, uint64_t *keys, uint64_t *values, uint64_t n,
 uint8_t *answers) {
  linear_arrays(&table, keys, values, n, answers, LINEAR_DO_ADD);
}
#endif

#endif
