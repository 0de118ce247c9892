/* Moving all keys of an iceberg table to another one; the operations on arrays of keys are in iceberg_arrays.h. */
#ifndef FLOE_GPU_TABLE_H
#define FLOE_GPU_TABLE_H

#include "gpu/kernel/find_or_put.h"
#include "gpu/kernel/warp.h"

/* ---- moving ---------------------------------------------------------------------------------------- */

/* Puts the keys in slots [0, n) of a level of `from`, a strip of 32 at a time. */
KERNEL_FN void move_slots(struct warp *w, const struct iceberg *from, unsigned level,
                          const void *slots, uint64_t n, unsigned bits, unsigned bucket_slots) {
  GPU_ROLLED
  for (uint64_t at = warp_number() * GPU_WARP; at < n; at += warp_count() * GPU_WARP) {
    const uint64_t i = at + w->lane;
    uint64_t slot = i < n ? slot_load(slots, i, bits) : 0;
    if (from->deletes && slot == slot_tombstone(bits))
      slot = 0;
    uint64_t key = 0;
    if (slot)
      key = level == 1   ? first_key_of(from, i / bucket_slots, slot)
            : level == 2 ? second_key_of(from, i / bucket_slots, slot)
                         : third_key(slot);
    gpu_sync_warp();
    w->open = keys_hold(w->held->open, w->open, key, slot != 0, w->lane);
    warp_settle(w, 0, 0, false);
  }
}

KERNEL_FN void move_last_key(struct warp *w, const struct iceberg *from) {
  const bool mine = from->last_key && warp_number() == 0 && w->lane < 1 + from->deletes &&
                    slot_load(from->last_key, w->lane, THIRD_SLOT_BITS) == LAST_KEY_HERE;
  w->open = keys_hold(w->held->open, w->open, ~(uint64_t)w->lane, mine, w->lane);
  warp_settle(w, 0, 0, true);
}

KERNEL_FN void move_content(struct warp *w, const struct iceberg *from) {
  move_slots(w, from, 1, from->first, from->first_quotient.divisor * FLOE_FROM_BUCKET_SLOTS,
             FLOE_FROM_SLOT_BITS, FLOE_FROM_BUCKET_SLOTS);
  move_slots(w, from, 2, from->second, from->second_quotient.divisor * FLOE_FROM_SECOND_BUCKET_SLOTS,
             FLOE_FROM_SECOND_SLOT_BITS, FLOE_FROM_SECOND_BUCKET_SLOTS);
  move_slots(w, from, 3, from->third, from->third_buckets * THIRD_BUCKET_SLOTS, THIRD_SLOT_BITS,
             THIRD_BUCKET_SLOTS);
  move_last_key(w, from);
}

#include "gpu/kernel/rehash.h"

#ifndef FLOE_EXPLORES
/* ---- keys of tests ------------------------------------------------------------------------------------ */

/* A bijection of the numbers of FLOE_KEY_BITS bits. */
KERNEL_FN uint64_t scattered(uint64_t x) {
  const uint64_t mask = UINT64_MAX >> (64 - FLOE_KEY_BITS);
  const unsigned shift = (FLOE_KEY_BITS + 1) / 2;
  x = (x * UINT64_C(0x9e3779b97f4a7c15)) & mask;
  x ^= x >> shift;
  x = (x * UINT64_C(0xd6e8feb86659fd93)) & mask;
  return x ^ x >> shift;
}

/* n keys, each of the numbers first, first + 1, ... `times` times, scattered, in the order of a step through them:
   `step` has no common divisor with n, and n * step < 2^64. */
GPU_KERNEL(floe_table_keys, GPU_BLOCK, 1)
(uint64_t *keys, uint64_t n, uint64_t first, uint64_t times, uint64_t step) {
  const uint64_t threads = (uint64_t)gpu_blocks() * GPU_BLOCK;
  for (uint64_t i = (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread(); i < n; i += threads)
    keys[i] = scattered(first + i * step % n / times);
}
#endif

#endif
