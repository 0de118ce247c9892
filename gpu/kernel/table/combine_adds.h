/* Additions to one key by threads of one block, combined before they go to the table. A value changes by a
   compare-and-swap of its slot, which one thread at a time wins: of a key that comes very often, thousands would try in
   vain. Instead, who has lost a swap against another addition to its key offers its pair:
     LEADS   nobody of the block led for this key: the pair now lies at the key's place, until its thread takes it
             (combining_end) with all that was added there meanwhile, and tries again;
     JOINED  somebody leads: the value is part of the leader's now, who answers for it;
     ALONE   another key has the place: the thread tries again by itself.
   Nobody waits for anybody. Keys that are seldom added to twice at the same time never come here.

   Set before: FLOE_VALUE_BITS; COMBINING_TABLE, the type of the view; COMBINING_REDUCE(table, present, added), which is
   commutative and associative. */
#ifndef FLOE_GPU_COMBINING_H
#define FLOE_GPU_COMBINING_H

#include "gpu/kernel/base/control.h"
#include "tables/kernel/pair.h"

enum { COMBINING_PLACES_LOG = 8, COMBINING_PLACES = 1 << COMBINING_PLACES_LOG };
enum combining_said { COMBINING_LEADS, COMBINING_JOINED, COMBINING_ALONE };

/* The last place is that of the key that has a slot of its own in the table. Zeros: nobody leads. */
struct combining {
#if FLOE_VALUE_BITS == 64
  struct wide pairs[COMBINING_PLACES + 1] __attribute__((aligned(16)));
#else
  uint64_t pairs[COMBINING_PLACES + 1];
#endif
};

KERNEL_FN struct combining *combining_of_block(void) {
  GPU_SHARED(struct combining, combining);
  return combining;
}

/* All threads of the block come to it before the first offer. */
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
  const struct wide from = {expected.key, expected.value}, to = {pair.key, pair.value};
  const struct wide wide = block_wide_swap(&combining->pairs[place], from, to);
  struct pair seen;
  seen.key = wide.low;
  seen.value = wide.high;
  return seen;
#else
  return pair_unpack(block_swap64(&combining->pairs[place], pair_pack(expected), pair_pack(pair)));
#endif
}

/* pair.key != 0; enum combining_said. */
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

/* The leader takes its pair back: the value with all that has joined. `pair`: as it was offered. */
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
