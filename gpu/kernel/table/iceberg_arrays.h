/* The iceberg table's operations on arrays of keys, as table_run (src/tables/table.h) on the host:
     floe_table_find, floe_table_find_or_put, floe_table_put
     floe_table_delete                   with FLOE_DELETES
     floe_table_get, floe_table_add      with FLOE_VALUE_BITS
   All have the same parameters, blocks of GPU_BLOCK threads and any grid; src/tables/iceberg/iceberg.h states which
   operations may run concurrently.

   Defined before, beside the settings of iceberg_find_or_put.h: FLOE_VALUE_BITS, FLOE_REDUCTION, FLOE_DELETES (none:
   0). */
#ifndef FLOE_GPU_ICEBERG_ARRAYS_H
#define FLOE_GPU_ICEBERG_ARRAYS_H

#include "gpu/kernel/visited/iceberg_visited.h"

#include "gpu/kernel/base/warp.h"
#include "gpu/kernel/visited/iceberg_placement.h"
#include "tables/kernel/value.h"

#ifndef FLOE_VALUE_BITS
#define FLOE_VALUE_BITS 0
#endif
#ifndef FLOE_REDUCTION
#define FLOE_REDUCTION 0
#endif
#ifndef FLOE_DELETES
#define FLOE_DELETES 0
#endif

/* Keys whose primary bucket is full, deferred with their indices until there are 32. */
struct waiting {
  uint64_t keys[2 * GPU_WARP], numbers[2 * GPU_WARP];
};

struct block_waiting {
  struct waiting waiting[GPU_WARPS];
};

KERNEL_FN uint8_t final_answer(unsigned answer, bool put) {
  return (uint8_t)(put || answer == ICEBERG_FOUND ? answer : (unsigned)ICEBERG_FULL);
}

KERNEL_FN uint32_t answer_waiting(const struct iceberg *table, struct waiting *waiting, uint32_t count, unsigned lane,
                                  uint8_t *answers, bool put) {
  uint32_t active, rest = count;
  const uint64_t number = keys_take(waiting->numbers, &rest, lane, &active);
  const uint64_t key = keys_take(waiting->keys, &count, lane, &active);
  const unsigned answer = warp_retry(table, key, active, lane, put);
  if (active >> lane & 1)
    answers[number] = final_answer(answer, put);
  return count;
}

KERNEL_FN void answer_arrays(const struct iceberg *table, const uint64_t *keys, uint64_t n, uint8_t *answers,
                             bool put) {
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
      const bool retry = mine && answer == ICEBERG_FULL;
      if (mine && !retry)
        answers[at + lane] = final_answer(answer, put);
      keys_stage(waiting->numbers, count, at + lane, retry, lane);
      count = keys_stage(waiting->keys, count, key, retry, lane);
      at += warp_count() * GPU_WARP;
    }
    if (count >= GPU_WARP || (!more && count))
      count = answer_waiting(table, waiting, count, lane, answers, put);
  }
}

/* ---- with the slots of the keys ------------------------------------------------------------------ */

#if FLOE_VALUE_BITS || FLOE_DELETES

enum placement_work { PLACEMENT_PUT, PLACEMENT_ADD, PLACEMENT_GET, PLACEMENT_DELETE };

/* As map_first on the host; additions by a user-defined reduction exist only there. */
KERNEL_FN void first_value(const struct iceberg *table, uint64_t slot, uint64_t value) {
  if (FLOE_REDUCTION == VALUE_USER) {
    word_store(table->values, slot, FLOE_VALUE_BITS, value);
    table->written[slot] = 1;
  } else {
    value_add(table->values, slot, FLOE_VALUE_BITS, FLOE_REDUCTION, value);
  }
}

/* Completes the operation at the key's slot; returns the answer. */
KERNEL_FN uint8_t finish_placement(const struct iceberg *table, struct placement placement, uint64_t *values,
                                   uint64_t number, enum placement_work work) {
  const bool found = placement.answer == ICEBERG_FOUND, put = placement.answer == ICEBERG_PUT;
  if (work == PLACEMENT_DELETE)
    return found && placement_delete(table, placement.slot, table_geometry()) ? ICEBERG_FOUND : ICEBERG_FULL;
#if FLOE_VALUE_BITS
  if (work == PLACEMENT_GET) {
    if (found && values)
      values[number] = value_get(table->values, placement.slot, FLOE_VALUE_BITS, FLOE_REDUCTION);
    return found ? ICEBERG_FOUND : ICEBERG_FULL;
  }
  const uint64_t value = values ? values[number] : 0;
  if (put) /* also for 0, which is not the neutral word of all reductions; the host waits for a user's first value */
    first_value(table, placement.slot, value);
  if (found && work == PLACEMENT_ADD)
    value_add(table->values, placement.slot, FLOE_VALUE_BITS, FLOE_REDUCTION, value);
#else
  (void)put, (void)values, (void)number;
#endif
  return (uint8_t)placement.answer;
}

KERNEL_FN void placement_arrays(const struct iceberg *table, const uint64_t *keys, uint64_t *values, uint64_t n,
                                uint8_t *answers, enum placement_work work) {
  GPU_SHARED(struct block_waiting, block);
  struct waiting *const waiting = &block->waiting[gpu_thread() / GPU_WARP];
  const unsigned lane = gpu_thread() % GPU_WARP;
  const bool put = work == PLACEMENT_PUT || work == PLACEMENT_ADD;
  uint32_t count = 0;
  uint64_t at = warp_number() * GPU_WARP;
  GPU_ROLLED
  for (bool more = true; more || count;) {
    more = at < n;
    if (more) {
      const bool mine = lane < n - at;
      const uint64_t key = mine ? keys[at + lane] : 0;
      const struct placement placement = warp_first_placement(table, key, gpu_ballot(mine), lane, put);
      const bool retry = mine && placement.answer == ICEBERG_FULL;
      if (mine && !retry)
        answers[at + lane] = finish_placement(table, placement, values, at + lane, work);
      keys_stage(waiting->numbers, count, at + lane, retry, lane);
      count = keys_stage(waiting->keys, count, key, retry, lane);
      at += warp_count() * GPU_WARP;
    }
    if (count >= GPU_WARP || (!more && count)) {
      uint32_t active, rest = count;
      const uint64_t number = keys_take(waiting->numbers, &rest, lane, &active);
      const uint64_t key = keys_take(waiting->keys, &count, lane, &active);
      if (active >> lane & 1)
        answers[number] = finish_placement(table, lane_later_placement(table, key, put), values, number, work);
      gpu_sync_warp();
    }
  }
}

#endif

/* ---- entry points -------------------------------------------------------------------------------- */

GPU_KERNEL(floe_table_find, GPU_BLOCK, 4)
(GPU_PARAMETER struct iceberg table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  (void)values;
  answer_arrays(&table, keys, n, answers, false);
}

KERNEL_FN void put_arrays(const struct iceberg *table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
#if FLOE_VALUE_BITS
  placement_arrays(table, keys, values, n, answers, PLACEMENT_PUT);
#else
  (void)values;
  answer_arrays(table, keys, n, answers, true);
#endif
}

GPU_KERNEL(floe_table_find_or_put, GPU_BLOCK, FLOE_VALUE_BITS ? 3 : 4)
(GPU_PARAMETER struct iceberg table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  put_arrays(&table, keys, values, n, answers);
}

/* New keys use the same code: comparing with present keys costs nothing compared with the read. */
GPU_KERNEL(floe_table_put, GPU_BLOCK, FLOE_VALUE_BITS ? 3 : 4)
(GPU_PARAMETER struct iceberg table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  put_arrays(&table, keys, values, n, answers);
}

#if FLOE_DELETES
GPU_KERNEL(floe_table_delete, GPU_BLOCK, 3)
(GPU_PARAMETER struct iceberg table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  placement_arrays(&table, keys, values, n, answers, PLACEMENT_DELETE);
}
#endif

#if FLOE_VALUE_BITS
GPU_KERNEL(floe_table_get, GPU_BLOCK, 3)
(GPU_PARAMETER struct iceberg table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  placement_arrays(&table, keys, values, n, answers, PLACEMENT_GET);
}

GPU_KERNEL(floe_table_add, GPU_BLOCK, 3)
(GPU_PARAMETER struct iceberg table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  placement_arrays(&table, keys, values, n, answers, PLACEMENT_ADD);
}
#endif

/* ---- what is in a slot ----------------------------------------------------------------------------- */

/* The keys ~0 and ~1, which level 3 does not encode, have slots of their own after all others. */
KERNEL_FN bool last_content(const struct iceberg *table, uint64_t i, uint64_t *key) {
  *key = ~i;
  return slot_load(table->last_key, i, THIRD_SLOT_BITS) == LAST_KEY_HERE;
}

KERNEL_FN bool slot_content(const struct iceberg *table, uint64_t i, uint64_t *key, uint64_t *value) {
  const struct geometry g = table_geometry();
  const uint64_t second = second_begin(table, g), third = third_begin(table, g);
  const unsigned bits = i < second ? g.slot_bits : i < third ? g.second_slot_bits : THIRD_SLOT_BITS;
  if (FLOE_VALUE_BITS)
    *value = value_get(table->values, i, FLOE_VALUE_BITS, FLOE_REDUCTION);
  if (i >= last_begin(table, g))
    return last_content(table, i - last_begin(table, g), key);
  const uint64_t slot = i < second  ? slot_load(table->first, i, FLOE_SLOT_BITS)
                        : i < third ? slot_load(table->second, i - second, FLOE_SECOND_SLOT_BITS)
                                    : slot_load(table->third, i - third, THIRD_SLOT_BITS);
  if (slot == 0 || (FLOE_DELETES && slot == slot_tombstone(bits)))
    return false;
  *key = i < second  ? first_key_of(table, i / FLOE_BUCKET_SLOTS, slot)
         : i < third ? second_key_of(table, (i - second) / FLOE_SECOND_BUCKET_SLOTS, slot)
                     : third_key(slot);
  return true;
}

#include "gpu/kernel/table/list_content.h"

#endif
