/* find-or-put of 32 keys by a warp, in a linear set: each lane searches for its own key, by sectors.

   Most searches end in the first slots, but some are long, and a warp would wait for its longest. So the first probe
   covers at most LINEAR_NEAR slots; keys that it neither finds nor puts are retried later, 32 at once. Slots that
   were passed stay full with other owners, so a search resumes where it stopped.

   Defined before: as for gpu/kernel/visited/linear_search.h. */
#ifndef FLOE_GPU_LINEAR_FIND_OR_PUT_H
#define FLOE_GPU_LINEAR_FIND_OR_PUT_H

#include "gpu/kernel/visited/linear_search.h"

/* At a fill of 0.75, at which the table grows, this covers six of seven new keys, and 98 of 100 keys that are
   present. */
enum { LINEAR_NEAR = 16 };

KERNEL_FN unsigned lane_put(const struct linear *table, struct linear_search search) {
  const bool match = linear_skip(table, &search);
  return linear_set_finish(table, search, match, LINEAR_DO_PUT);
}

KERNEL_FN struct linear_search near_part(struct linear_search search) {
  if (search.left > LINEAR_NEAR)
    search.left = LINEAR_NEAR;
  return search;
}

/* The part of the search after near_part; empty if near_part is the whole. */
KERNEL_FN struct linear_search after_near_part(const struct linear *table, struct linear_search search) {
  if (search.left <= LINEAR_NEAR) {
    search.left = 0;
    return search;
  }
  search.left -= LINEAR_NEAR;
  search.at += LINEAR_NEAR;
  if (search.at >= table->capacity)
    search.at -= table->capacity;
  return search;
}

/* ---- the visited set of an exploration (gpu/kernel/base/warp.h) ----------------------------------------- */

#define FLOE_VISITED struct linear

KERNEL_FN unsigned visited_first(const struct linear *table, uint64_t key, uint32_t active, unsigned lane) {
  unsigned answer = LINEAR_FULL;
  if (active >> lane & 1)
    answer = lane_put(table, near_part(lane_search(table, key)));
  gpu_sync_warp(); /* the lanes diverged: reconverge before the next collective */
  return answer;
}

KERNEL_FN unsigned visited_retry(const struct linear *table, uint64_t key, uint32_t active, unsigned lane) {
  unsigned answer = LINEAR_FULL;
  if (active >> lane & 1)
    answer = lane_put(table, after_near_part(table, lane_search(table, key)));
  gpu_sync_warp();
  return answer;
}

KERNEL_FN unsigned visited_single_lane(const struct linear *table, uint64_t key) {
  return lane_put(table, lane_search(table, key));
}

/* Whether the lane's key is present. All lanes of the warp call it. */
KERNEL_FN bool visited_find(const struct linear *table, uint64_t key, uint32_t active, unsigned lane) {
  bool found = false;
  if (active >> lane & 1) {
    struct linear_search search = lane_search(table, key);
    found = linear_skip(table, &search);
  }
  gpu_sync_warp();
  return found;
}

#endif
