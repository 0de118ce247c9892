/* The linear table's operations on arrays of keys, as table_run (src/tables/table.h) on the host:
     floe_table_find, floe_table_find_or_put, floe_table_put, floe_table_delete; of a map floe_table_get,
     floe_table_add
   All have the same parameters, blocks of GPU_BLOCK threads and any grid. src/tables/linear/linear.h states which
   operations may run concurrently; the keys of an array are processed in any order.

   Defined before: FLOE_KEY_BITS, FLOE_PERMUTATION, FLOE_SLOT_BITS, FLOE_VALUE_BITS, FLOE_REDUCTION (none: 0). */
#ifndef FLOE_GPU_LINEAR_ARRAYS_H
#define FLOE_GPU_LINEAR_ARRAYS_H

#include "gpu/kernel/base/control.h"

#ifndef FLOE_REDUCTION
#define FLOE_REDUCTION 0
#endif
/* Reductions without a hardware atomic (add_to_present): additions that lose to others on the same key are combined
   within a block, if the device can swap a key with its value. (Numbers as enum linear_reduction.) */
#if (FLOE_REDUCTION == 4 && FLOE_VALUE_BITS == 32) ||                                                                  \
    ((FLOE_REDUCTION == 1 || FLOE_REDUCTION == 4) && FLOE_VALUE_BITS == 64 && defined(KERNEL_HAS_SLOT128))
#define LINEAR_COMBINES 1
struct linear;
struct linear_search;
struct linear_entry;
KERNEL_FN bool lost_addition(const struct linear *table, const struct linear_search *search,
                             const struct linear_entry *entry, uint64_t *value, uint64_t *seen);
#define LINEAR_LOST lost_addition
#endif
#include "gpu/kernel/visited/linear_search.h"

#ifdef LINEAR_COMBINES
#define COMBINING_TABLE struct linear
#define COMBINING_REDUCE(table, present, added)                                                                        \
  (linear_reduce(table, FLOE_REDUCTION, present, added) & UINT64_MAX >> (64 - FLOE_VALUE_BITS))
#include "gpu/kernel/table/combine_adds.h"

/* As LINEAR_LOST. */
KERNEL_FN bool lost_addition(const struct linear *table, const struct linear_search *search,
                             const struct linear_entry *entry, uint64_t *value, uint64_t *seen) {
  struct pair pair = {search->wanted, *value};
  const bool apart = entry->word == linear_word(table->capacity, FLOE_VALUE_BITS);
  const unsigned place = combining_place(search->wanted, apart);
  const unsigned result = combining_offer(table, place, pair);
  if (result == COMBINING_LEADS) {
    *seen = slot_load(table->slots, entry->word + (FLOE_VALUE_BITS == 64), 64);
    *value = combining_end(place, pair);
  }
  return result == COMBINING_JOINED;
}
#endif

KERNEL_FN struct linear_form linear_form(void) {
  const struct linear_form f = {FLOE_SLOT_BITS, FLOE_VALUE_BITS, FLOE_REDUCTION};
  return f;
}

/* ---- additions to values that are there --------------------------------------------------------------- */

/* Adds with a hardware atomic, which unlike a compare-and-swap never fails: for very frequent keys, thousands of
   threads would retry in vain. A kernel performs one operation, so no value is deleted concurrently. `seen`: previous
   content of the value's word. False: nothing was done. (Sums of 64 bits must not become 0, which means "no value".) */
KERNEL_FN bool add_at_once(uint64_t *word, uint64_t seen, uint64_t wanted, uint64_t value) {
  const uint64_t whole = linear_with_value(wanted, value, FLOE_VALUE_BITS);
  if (FLOE_REDUCTION == LINEAR_SUM && FLOE_VALUE_BITS == 32)
    gpu_add64(word, value << 32); /* the key's half does not change */
  else if (FLOE_REDUCTION == LINEAR_MIN && whole < seen)
    gpu_min64(word, whole);
  else if (FLOE_REDUCTION == LINEAR_MAX && whole > seen)
    gpu_max64(word, whole);
  else
    return FLOE_REDUCTION == LINEAR_MIN || FLOE_REDUCTION == LINEAR_MAX;
  return true;
}

/* `search` is at the key's slot. */
KERNEL_FN bool add_to_present(const struct linear *table, struct linear_search search, uint64_t value) {
  const struct linear_entry entry = linear_seek(table, search, FLOE_VALUE_BITS, 0);
  const uint64_t seen = linear_value_seen(table, entry, FLOE_VALUE_BITS);
  uint64_t *const word = (uint64_t *)table->slots + entry.word + (FLOE_VALUE_BITS == 64);
  if (FLOE_VALUE_BITS == 32)
    value &= UINT32_MAX;
  if (linear_is_reserved(value, FLOE_VALUE_BITS))
    return false;
  return linear_has_value(seen, FLOE_VALUE_BITS) && add_at_once(word, seen, search.wanted, value);
}

/* ---- arrays -------------------------------------------------------------------------------------- */

KERNEL_FN unsigned linear_one(const struct linear *table, uint64_t key, uint64_t *value, unsigned work) {
  struct linear_search search = lane_search(table, key);
  const bool match = linear_skip(table, &search);
  if (FLOE_VALUE_BITS == 0 && work != LINEAR_DO_DELETE)
    return linear_set_finish(table, search, match, work);
  if (FLOE_VALUE_BITS && work == LINEAR_DO_ADD && match && add_to_present(table, search, *value))
    return LINEAR_FOUND;
  return linear_answer(table, search, value, linear_form(), work);
}

KERNEL_FN bool takes_value(unsigned work) {
  return FLOE_VALUE_BITS != 0 && (work == LINEAR_DO_PUT || work == LINEAR_DO_ADD);
}

/* The lanes of a warp reconverge after each key. Otherwise lanes with short searches would run ahead and read the
   next keys in separate transactions. */
KERNEL_FN void linear_arrays(const struct linear *table, const uint64_t *keys, uint64_t *values, uint64_t n,
                             uint8_t *answers, unsigned work) {
  const uint64_t threads = (uint64_t)gpu_blocks() * GPU_BLOCK;
  const unsigned lane = gpu_thread() % GPU_WARP;
  GPU_ROLLED
  for (uint64_t at = (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread() - lane; at < n; at += threads) {
    const uint64_t i = at + lane;
    if (i < n) {
      uint64_t value = takes_value(work) && values ? values[i] : 0;
      const unsigned answer = linear_one(table, keys[i], &value, work);
      answers[i] = (uint8_t)answer;
      if (values && answer == (work == LINEAR_DO_GET ? LINEAR_FOUND : LINEAR_RESERVED))
        values[i] = value;
    }
    gpu_sync_warp();
  }
}

/* ---- kernels --------------------------------------------------------------------------------------- */

GPU_KERNEL(floe_table_find, GPU_BLOCK, 4)
(GPU_PARAMETER struct linear table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  linear_arrays(&table, keys, values, n, answers, LINEAR_DO_FIND);
}

GPU_KERNEL(floe_table_find_or_put, GPU_BLOCK, 4)
(GPU_PARAMETER struct linear table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  linear_arrays(&table, keys, values, n, answers, LINEAR_DO_PUT);
}

/* New keys use the same code: comparing with present keys costs nothing compared with the read. */
GPU_KERNEL(floe_table_put, GPU_BLOCK, 4)
(GPU_PARAMETER struct linear table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  linear_arrays(&table, keys, values, n, answers, LINEAR_DO_PUT);
}

#if FLOE_VALUE_BITS || FLOE_KEY_BITS < FLOE_SLOT_BITS
GPU_KERNEL(floe_table_delete, GPU_BLOCK, 4)
(GPU_PARAMETER struct linear table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  linear_arrays(&table, keys, values, n, answers, LINEAR_DO_DELETE);
}
#endif

#if FLOE_VALUE_BITS
GPU_KERNEL(floe_table_get, GPU_BLOCK, 4)
(GPU_PARAMETER struct linear table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  linear_arrays(&table, keys, values, n, answers, LINEAR_DO_GET);
}

GPU_KERNEL(floe_table_add, GPU_BLOCK, 4)
(GPU_PARAMETER struct linear table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
#ifdef LINEAR_COMBINES
  combining_start();
#endif
  linear_arrays(&table, keys, values, n, answers, LINEAR_DO_ADD);
}
#endif

/* ---- what is in a slot ----------------------------------------------------------------------------- */

KERNEL_FN bool slot_content(const struct linear *table, uint64_t i, uint64_t *key, uint64_t *value) {
  struct linear_entry entry;
  uint64_t wanted;
  if (FLOE_VALUE_BITS == 0) {
    wanted = slot_load(table->slots, i, FLOE_SLOT_BITS);
    if (wanted == 0 || (FLOE_KEY_BITS < FLOE_SLOT_BITS && wanted == linear_deleted(FLOE_SLOT_BITS)))
      return false;
  } else {
    entry.word = linear_word(i, FLOE_VALUE_BITS);
    entry.seen = slot_load(table->slots, entry.word, 64);
    wanted = linear_owner(entry.seen, FLOE_VALUE_BITS);
    const uint64_t word = linear_value_seen(table, entry, FLOE_VALUE_BITS);
    if (!linear_has_value(word, FLOE_VALUE_BITS))
      return false;
    *value = linear_value(word, FLOE_VALUE_BITS);
  }
  *key = i < table->capacity ? wanted - 1 : UINT64_MAX >> (64 - FLOE_SLOT_BITS);
  return true;
}

#include "gpu/kernel/table/list_content.h"

#endif
