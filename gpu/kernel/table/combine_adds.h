/* Combines additions to one key by threads of a block before they reach the table. A value changes by a
   compare-and-swap of its slot, which one thread at a time wins: for a very frequent key, thousands of threads would
   try in vain. Instead, a thread that loses a swap against another addition to its key offers its pair:
     LEADS   no thread of the block led for this key: the pair is stored at the key's place. The thread later removes
     it
             (combining_end), with all values added in the meantime, and retries;
     JOINED  another thread leads: the value has been added to the leader's pair, and the leader puts it;
     ALONE   another key occupies the place: the thread retries on its own.
   No thread waits for another. Keys that rarely receive concurrent additions do not get here.

   Defined before: FLOE_VALUE_BITS; COMBINING_TABLE, the type of the view; COMBINING_REDUCE(table, present, added),
   which is commutative and associative. */
#ifndef FLOE_GPU_COMBINING_H
#define FLOE_GPU_COMBINING_H

#include "gpu/kernel/base/control.h"
#include "tables/kernel/pair.h"

enum { COMBINING_PLACES_LOG = 8, COMBINING_PLACES = 1 << COMBINING_PLACES_LOG };
enum combining_result { COMBINING_LEADS, COMBINING_JOINED, COMBINING_ALONE };

/* The last place belongs to the key that has a slot of its own in the table. Zeros: no thread leads. */
struct combining {
#if FLOE_VALUE_BITS == 64
  struct slot128 pairs[COMBINING_PLACES + 1] __attribute__((aligned(16)));
#else
  uint64_t pairs[COMBINING_PLACES + 1];
#endif
};

KERNEL_FN struct combining *combining_of_block(void) {
  GPU_SHARED(struct combining, combining);
  return combining;
}

/* All threads of the block call it before the first offer. */
KERNEL_FN void combining_start(void) {
  uint64_t *const words = (uint64_t *)combining_of_block()->pairs;
  for (unsigned i = gpu_thread(); i < sizeof(struct combining) / 8; i += GPU_BLOCK)
    words[i] = 0;
  gpu_sync_block();
}

/* `apart`: the key is the one with a slot of its own. */
KERNEL_FN unsigned combining_place(uint64_t key, bool apart) {
  const uint32_t hash = (uint32_t)(key ^ key >> 32) * UINT32_C(0x9e3779b1);
  return apart ? (unsigned)COMBINING_PLACES : hash >> (32 - COMBINING_PLACES_LOG);
}

/* As pair_swap. */
KERNEL_FN struct pair combining_swap(unsigned place, struct pair expected, struct pair pair) {
  struct combining *const combining = combining_of_block();
#if FLOE_VALUE_BITS == 64
  const struct slot128 from = {expected.key, expected.value}, to = {pair.key, pair.value};
  const struct slot128 slot128 = block_slot128_swap(&combining->pairs[place], from, to);
  struct pair seen;
  seen.key = slot128.low;
  seen.value = slot128.high;
  return seen;
#else
  return pair_unpack(block_swap64(&combining->pairs[place], pair_pack(expected), pair_pack(pair)));
#endif
}

/* pair.key != 0; enum combining_result. */
KERNEL_FN unsigned combining_offer(const COMBINING_TABLE *table, unsigned place, struct pair pair) {
  struct pair seen = {0, 0};
  for (;;) {
    struct pair wanted = pair;
    if (seen.key != 0 && seen.key != pair.key)
      return COMBINING_ALONE;
    if (seen.key != 0)
      wanted.value = COMBINING_REDUCE(table, seen.value, pair.value);
    const struct pair before = combining_swap(place, seen, wanted);
    if (pair_same(before, seen))
      return seen.key != 0 ? COMBINING_JOINED : COMBINING_LEADS;
    seen = before;
  }
}

/* The leader removes its pair and returns the value with all that has joined. `pair`: as it was offered. */
KERNEL_FN uint64_t combining_end(unsigned place, struct pair pair) {
  const struct pair none = {0, 0};
  for (;;) {
    const struct pair before = combining_swap(place, pair, none);
    if (pair_same(before, pair))
      return pair.value;
    pair = before;
  }
}

#endif
