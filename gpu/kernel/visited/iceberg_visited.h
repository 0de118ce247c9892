/* An iceberg table as the visited set of an exploration, or as the device cache of a host-backed set. */
#ifndef FLOE_GPU_ICEBERG_VISITED_H
#define FLOE_GPU_ICEBERG_VISITED_H

#include "gpu/kernel/visited/iceberg_find_or_put.h"

/* ---- the visited set of an exploration (gpu/kernel/base/warp.h) ----------------------------------------- */

#define FLOE_VISITED struct iceberg

#ifndef FLOE_DEVICE_CACHE
KERNEL_FN unsigned visited_first(const struct iceberg *table, uint64_t key, uint32_t active, unsigned lane) {
  return warp_first(table, key, active, lane, true);
}

KERNEL_FN unsigned visited_retry(const struct iceberg *table, uint64_t key, uint32_t active, unsigned lane) {
  return warp_retry(table, key, active, lane, true);
}

KERNEL_FN unsigned visited_single_lane(const struct iceberg *table, uint64_t key) {
  const struct geometry g = table_geometry();
  unsigned answer = first_answer(first_target(table, table_permute(&table->permutation[0], key), g), g, true);
  if (answer != ICEBERG_FULL)
    return answer;
  const uint64_t permuted1 = table_permute(&table->permutation[1], key);
  const uint64_t permuted2 = table_permute(&table->permutation[2], key);
  answer = second_answer(second_target(table, permuted1, 0, g), second_target(table, permuted2, 1, g), g, true);
  return answer == ICEBERG_FULL ? third_apart(table, key, true) : answer;
}

/* Whether the lane's key is present. All lanes of the warp call it. */
KERNEL_FN bool visited_find(const struct iceberg *table, uint64_t key, uint32_t active, unsigned lane) {
  const bool mine = active >> lane & 1;
  unsigned answer = warp_first(table, key, active, lane, false);
  const uint32_t retry = gpu_ballot(mine && answer == ICEBERG_FULL);
  if (retry) {
    const unsigned later = warp_retry(table, key, retry, lane, false);
    answer = retry >> lane & 1 ? later : answer;
  }
  return mine && answer == ICEBERG_FOUND;
}
#endif

/* ---- device cache of a host-backed visited set (gpu/kernel/host_backed/host_backed_set.h) ---------------- */

#ifdef FLOE_DEVICE_CACHE
/* Level 1 alone, as a cache: in a full bucket a new key replaces another one. PUT: the key was absent, and is now
   present with high probability. FOUND is certain: an earlier call returned PUT for it. */
KERNEL_FN unsigned bucket_keep(void *bucket, struct reading r, uint64_t wanted, uint32_t candidates) {
  const unsigned answer = bucket_claim(bucket, r.bits, wanted, candidates);
  if (answer != ICEBERG_FULL)
    return answer;
  const uint32_t hash = (uint32_t)(wanted * UINT64_C(0x9e3779b97f4a7c15) >> 40);
  const unsigned victim = hash * r.slots >> 24;
  const uint64_t seen = slot_load(bucket, victim, r.bits);
  if (seen == wanted)
    return ICEBERG_FOUND;
  slot_swap(bucket, victim, r.bits, seen, wanted);
  return ICEBERG_PUT;
}

KERNEL_FN unsigned visited_first(const struct iceberg *table, uint64_t key, uint32_t active, unsigned lane) {
  const struct geometry g = table_geometry();
  const struct reading r = reading_of(g.slot_bits, g.bucket_slots);
  const struct place place = quotient_split(table->first_quotient, table_permute(&table->permutation[0], key));
  const struct probe probe = {table->first, (uint32_t)place.address, first_encode(place.remainder)};
  struct scan scan = {0, 0};
  warp_scan(r, &probe, 1, active, lane, &scan);
  unsigned answer = ICEBERG_FOUND;
  if (scan.match == 0 && (active >> lane & 1))
    answer = bucket_keep(probe_bucket(probe, r.bytes), r, probe.wanted, scan.empty);
  gpu_sync_warp(); /* the lanes diverged */
  return answer;
}

/* Never called: the first probe answers every key. */
KERNEL_FN unsigned visited_retry(const struct iceberg *table, uint64_t key, uint32_t active, unsigned lane) {
  (void)table, (void)key, (void)active, (void)lane;
  return ICEBERG_FULL;
}
#endif

#endif
