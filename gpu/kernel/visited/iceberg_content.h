/* Enumeration of the keys of an iceberg table, to move them to a table of any scheme, and for checkpoints. The text
   follows that of the destination set, which defines warp_flush. */
#ifndef FLOE_GPU_ICEBERG_CONTENT_H
#define FLOE_GPU_ICEBERG_CONTENT_H

#include "gpu/kernel/visited/iceberg_find_or_put.h"

/* ---- moving ---------------------------------------------------------------------------------------- */

/* The parts of a table in order; LAST: the keys that have a slot of their own. */
enum part { PART_FIRST = 1, PART_SECOND, PART_THIRD, PART_LAST };

KERNEL_FN uint64_t part_slots(const struct iceberg *from, unsigned part) {
  switch (part) {
  case PART_FIRST:
    return from->first_quotient.divisor * FLOE_FROM_BUCKET_SLOTS;
  case PART_SECOND:
    return from->second_quotient.divisor * FLOE_FROM_SECOND_BUCKET_SLOTS;
  case PART_THIRD:
    return from->third_buckets * THIRD_BUCKET_SLOTS;
  default:
    return from->last_key ? 1 + from->deletes : 0;
  }
}

/* The content of slot i; 0: none. A tombstone counts as none. */
KERNEL_FN uint64_t moved_slot(const struct iceberg *from, const void *slots, uint64_t i, unsigned bits) {
  const uint64_t slot = slot_load(slots, i, bits);
  return from->deletes && slot == slot_tombstone(bits) ? 0 : slot;
}

/* The key in slot i of a part; false: none. */
KERNEL_FN bool part_key(const struct iceberg *from, unsigned part, uint64_t i, uint64_t *key) {
  uint64_t slot;
  switch (part) {
  case PART_FIRST:
    slot = moved_slot(from, from->first, i, FLOE_FROM_SLOT_BITS);
    *key = slot ? first_key_of(from, i / FLOE_FROM_BUCKET_SLOTS, slot) : 0;
    return slot != 0;
  case PART_SECOND:
    slot = moved_slot(from, from->second, i, FLOE_FROM_SECOND_SLOT_BITS);
    *key = slot ? second_key_of(from, i / FLOE_FROM_SECOND_BUCKET_SLOTS, slot) : 0;
    return slot != 0;
  case PART_THIRD:
    slot = moved_slot(from, from->third, i, THIRD_SLOT_BITS);
    *key = third_key(slot);
    return slot != 0;
  default:
    *key = ~i;
    return slot_load(from->last_key, i, THIRD_SLOT_BITS) == LAST_KEY_HERE;
  }
}

/* Each warp processes strips of 32 slots, and finally puts its staged keys. (There is one call of warp_flush, because
   its code is long.) */
KERNEL_FN void move_content(struct warp *w, const struct iceberg *from) {
  unsigned part = PART_FIRST;
  uint64_t at = warp_number() * GPU_WARP, n = part_slots(from, part);
  bool more = true;
  GPU_ROLLED
  while (more) {
    while (at >= n && part < PART_LAST) {
      at = warp_number() * GPU_WARP;
      n = part_slots(from, ++part);
    }
    uint64_t key = 0;
    more = at < n;
    const bool mine = w->lane < n - at && more && part_key(from, part, at + w->lane, &key);
    gpu_sync_warp();
    w->pending = keys_stage(w->staging->pending, w->pending, moved_key(w, key), mine, w->lane);
    warp_flush(w, 0, 0, 0, !more);
    at += warp_count() * GPU_WARP;
  }
}

/* ---- all slots, one level after the other ---------------------------------------------------------- */

KERNEL_FN uint64_t content_slots(const struct iceberg *table) {
  return part_slots(table, PART_FIRST) + part_slots(table, PART_SECOND) + part_slots(table, PART_THIRD) +
         part_slots(table, PART_LAST);
}

KERNEL_FN bool content_key(const struct iceberg *table, uint64_t i, uint64_t *key) {
  unsigned part = PART_FIRST;
  GPU_ROLLED
  for (; part < PART_LAST && i >= part_slots(table, part); part++)
    i -= part_slots(table, part);
  return part_key(table, part, i, key);
}

#endif
