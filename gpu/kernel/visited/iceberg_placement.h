/* find-or-put in an iceberg table with the slot numbers of the keys (tables/kernel/slot_number.h), by a warp. */
#ifndef FLOE_GPU_ICEBERG_PLACEMENT_H
#define FLOE_GPU_ICEBERG_PLACEMENT_H

#include "gpu/kernel/visited/iceberg_find_or_put.h"

#include "tables/kernel/slot_number.h"

KERNEL_FN uint64_t piece_slot(struct piece piece, unsigned i, unsigned bits) {
  if (bits == 16)
    return piece.word[i / 2] >> 16 * (i % 2) & 0xffff;
  if (bits == 32)
    return piece.word[i];
  const unsigned at = bits == 64 ? 2 * i : i / PACKED_IN_WORD * 2;
  const uint64_t word = piece.word[at] | (uint64_t)piece.word[at + 1] << 32;
  return bits == 64 ? word : word >> packed_shift(i) & PACKED_MASK;
}

/* The slot in which a scan saw the key: `match` identifies the piece, which is read once more. If the key has been
   deleted in the meantime, returns the piece's first slot: the slots before it were passed when the key was seen, but
   not those after the key. */
KERNEL_FN unsigned slot_seen(struct reading r, struct target target, uint32_t match) {
  const unsigned first = lowest_bit(match) * r.piece_slots;
  const struct piece piece =
      gpu_load_piece((const unsigned char *)target.bucket + lowest_bit(match) * r.piece, r.piece, r.element);
  unsigned slot = first;
  GPU_UNROLL
  for (unsigned i = r.piece_slots; i-- > 0;)
    if (piece_slot(piece, i, r.bits) == target.wanted)
      slot = first + i;
  return slot;
}

/* warp_first with the key's slot. The owner alone continues where the scan left a choice. */
KERNEL_FN struct placement warp_first_placement(const struct iceberg *table, uint64_t key, uint32_t active,
                                                unsigned lane, bool put) {
  const struct geometry g = table_geometry();
  const struct reading r = reading_of(g.slot_bits, g.bucket_slots);
  const struct place place = quotient_split(table->first_quotient, table_permute(&table->permutation[0], key));
  const struct probe probe = {table->first, (uint32_t)place.address, first_encode(place.remainder)};
  const struct target target = {probe_bucket(probe, r.bytes), probe.wanted};
  struct scan scan = {0, 0};
  warp_scan(r, &probe, 1, active, lane, &scan);
  struct placement placement = placement_make(ICEBERG_FULL, 0);
  if (active >> lane & 1) {
    const unsigned at = scan.match   ? slot_seen(r, target, scan.match)
                        : scan.empty ? lowest_bit(scan.empty)
                                     : g.bucket_slots;
    placement = bucket_placement(target, at, g.bucket_slots, g.slot_bits, put);
    placement.slot += place.address * g.bucket_slots;
  }
  gpu_sync_warp();
  return placement;
}

/* Levels 2 and 3: each lane handles its own key. */
KERNEL_FN_APART struct placement lane_later_placement(const struct iceberg *table, uint64_t key, bool put) {
  return later_placement(table, key, table_permute(&table->permutation[1], key),
                         table_permute(&table->permutation[2], key), table_geometry(), put);
}

#endif
