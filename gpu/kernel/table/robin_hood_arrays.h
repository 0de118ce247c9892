/* The Robin Hood table's operations on arrays of pairs, as table_run (src/tables/table.h) on the host:
     floe_table_find, floe_table_get, floe_table_put, floe_table_add
   All have the same parameters, blocks of GPU_BLOCK threads and any grid.

   A thread holds one pair and processes one slot per iteration. When it has finished, it takes its next pair of the
   array while the other threads of its warp continue, so no thread waits for the longest probe sequence.

   Defined before: FLOE_KEY_BITS, FLOE_PERMUTATION, FLOE_VALUE_BITS, FLOE_REDUCTION; for a user-defined reduction
   FLOE_REDUCE(present, added), an expression of two uint64_t, without which there is no floe_table_add. */
#ifndef FLOE_GPU_ROBIN_HOOD_ARRAYS_H
#define FLOE_GPU_ROBIN_HOOD_ARRAYS_H

#include "gpu/kernel/base/control.h"
#include "gpu/kernel/visited/permute.h"

#if FLOE_VALUE_BITS == 64 && !defined(KERNEL_HAS_SLOT128)
#error "a key and a value of 64 bits need a compare-and-swap of 128, which GPUs have from compute capability 9.0 on"
#endif

#define ROBIN_HOOD_PERMUTE(table, key) table_permute(&(table)->permutation, key)
#define ROBIN_HOOD_UNPERMUTE(table, permuted) table_unpermute(&(table)->permutation, permuted)
#ifdef FLOE_REDUCE
#define ROBIN_HOOD_USER_REDUCE(table, present, added) ((uint64_t)(FLOE_REDUCE(present, added)))
#else
#define ROBIN_HOOD_USER_REDUCE(table, present, added) (present) /* never used */
#endif
#include "tables/kernel/robin_hood.h"

#define COMBINING_TABLE struct robin_hood
#define COMBINING_REDUCE(table, present, added)                                                                        \
  (robin_hood_reduce(table, FLOE_REDUCTION, present, added) & robin_hood_mask(FLOE_VALUE_BITS))
#include "gpu/kernel/table/combine_adds.h"

/* The grid's threads process pairs in strides: thread t those of number t, t + threads, ... */
KERNEL_FN uint64_t thread_number(void) { return (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread(); }
KERNEL_FN uint64_t thread_count(void) { return (uint64_t)gpu_blocks() * GPU_BLOCK; }

/* Processes one slot for the pair in hand, as robin_hood_add_here. A thread that loses to another addition to its key
   combines with those of its block (combine_adds.h). *leads: the pair is stored at the key's place there. */
KERNEL_FN unsigned add_step(const struct robin_hood *table, struct robin_hood_hand *hand, unsigned reduction,
                            bool *leads) {
  const unsigned place = combining_place(hand->pair.key, hand->at == table->homes.divisor);
  if (hand->distance == table->probes)
    return ROBIN_HOOD_FULL;
  struct pair seen = pair_load(table->pairs, hand->at, FLOE_VALUE_BITS);
  if (*leads)
    hand->pair.value = combining_end(place, hand->pair);
  *leads = false;
  bool met; /* the key is in the slot, and its value keeps changing */
  unsigned answer;
  do {
    met = reduction != ROBIN_HOOD_REPLACE && seen.key == hand->pair.key;
    answer = robin_hood_add_seen(table, hand, FLOE_VALUE_BITS, reduction, &seen);
  } while (answer == ROBIN_HOOD_LOST && !(met && seen.key == hand->pair.key));
  if (answer != ROBIN_HOOD_LOST)
    return answer;
  const unsigned result = combining_offer(table, place, hand->pair);
  *leads = result == COMBINING_LEADS;
  return result == COMBINING_JOINED ? ROBIN_HOOD_FOUND : ROBIN_HOOD_ON;
}

/* `values`: 0, or those of the keys. */
KERNEL_FN void add_arrays(const struct robin_hood *table, uint64_t *keys, uint64_t *values, uint64_t n,
                          uint8_t *answers, unsigned reduction) {
  struct robin_hood_hand hand = {{0, 0}, 0, 0, false};
  bool holds = false, leads = false;
  if (reduction != ROBIN_HOOD_REPLACE)
    combining_start();
  GPU_ROLLED
  for (uint64_t i = thread_number(); i < n;) {
    if (!holds)
      hand = robin_hood_start(table, FLOE_VALUE_BITS, keys[i], values ? values[i] : 0);
    const unsigned answer = add_step(table, &hand, reduction, &leads);
    holds = answer == ROBIN_HOOD_ON;
    if (holds)
      continue;
    if (answer == ROBIN_HOOD_FULL) {
      keys[i] = robin_hood_key(table, &hand);
      if (values)
        values[i] = hand.pair.value;
    }
    answers[i] = (uint8_t)answer;
    i += thread_count();
  }
}

/* `values`: 0, or receives the values of the keys found. */
KERNEL_FN void find_arrays(const struct robin_hood *table, const uint64_t *keys, uint64_t *values, uint64_t n,
                           uint8_t *answers) {
  struct robin_hood_hand hand = {{0, 0}, 0, 0, false};
  bool holds = false;
  GPU_ROLLED
  for (uint64_t i = thread_number(); i < n;) {
    if (!holds)
      hand = robin_hood_start(table, FLOE_VALUE_BITS, keys[i], 0);
    const unsigned answer = robin_hood_find_here(table, &hand, FLOE_VALUE_BITS);
    holds = answer == ROBIN_HOOD_ON;
    if (holds)
      continue;
    if (values && answer == ROBIN_HOOD_FOUND)
      values[i] = hand.pair.value;
    answers[i] = (uint8_t)answer;
    i += thread_count();
  }
}

GPU_KERNEL(floe_table_find, GPU_BLOCK, 4)
(GPU_PARAMETER struct robin_hood table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  (void)values;
  find_arrays(&table, keys, 0, n, answers);
}

GPU_KERNEL(floe_table_get, GPU_BLOCK, 4)
(GPU_PARAMETER struct robin_hood table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  find_arrays(&table, keys, values, n, answers);
}

/* New keys: there is nothing to combine. */
GPU_KERNEL(floe_table_put, GPU_BLOCK, 4)
(GPU_PARAMETER struct robin_hood table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  add_arrays(&table, keys, values, n, answers, ROBIN_HOOD_REPLACE);
}

#if FLOE_REDUCTION < 4 || defined(FLOE_REDUCE)
GPU_KERNEL(floe_table_add, GPU_BLOCK, 4)
(GPU_PARAMETER struct robin_hood table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  add_arrays(&table, keys, values, n, answers, FLOE_REDUCTION);
}
#endif

/* ---- what is in a slot ----------------------------------------------------------------------------- */

/* The slot after the ordinary ones belongs to the last permuted key. */
KERNEL_FN bool slot_content(const struct robin_hood *table, uint64_t i, uint64_t *key, uint64_t *value) {
  const struct pair pair = pair_load(table->pairs, i, FLOE_VALUE_BITS);
  if (pair.key == 0)
    return false;
  *key = ROBIN_HOOD_UNPERMUTE(table, i < table->homes.divisor ? robin_hood_permuted(pair.key)
                                                              : robin_hood_mask(FLOE_KEY_BITS));
  *value = pair.value;
  return true;
}

#include "gpu/kernel/table/list_content.h"

#endif
