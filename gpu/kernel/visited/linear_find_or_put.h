/* find-or-put of 32 keys by a warp, in a linear set: each lane searches for a key of its own, by sectors.

   Most searches end in the first slots, some are long: a warp would wait for its longest. So the first look is at
   LINEAR_NEAR slots at most, and the keys that are not there and found no place go on later, 32 such keys at once.
   Slots that were passed are full for ever and have other owners, so that a search goes on where it stopped.

   Set before: as for gpu/kernel/visited/linear_search.h. */
#ifndef FLOE_GPU_LINEAR_FIND_OR_PUT_H
#define FLOE_GPU_LINEAR_FIND_OR_PUT_H

#include "gpu/kernel/visited/linear_search.h"

/* At a fill of 0.75, where the table grows, six of seven new keys have their place among so many, and 98 of 100 that
   are there. */
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

/* What comes after near_part: nothing, where that is the whole. */
KERNEL_FN struct linear_search device_payload(const struct linear *table, struct linear_search search) {
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
  gpu_sync_warp(); /* the lanes went apart: together again before the next collective */
  return answer;
}

KERNEL_FN unsigned visited_later(const struct linear *table, uint64_t key, uint32_t active, unsigned lane) {
  unsigned answer = LINEAR_FULL;
  if (active >> lane & 1)
    answer = lane_put(table, device_payload(table, lane_search(table, key)));
  gpu_sync_warp();
  return answer;
}

KERNEL_FN unsigned visited_alone(const struct linear *table, uint64_t key) {
  return lane_put(table, lane_search(table, key));
}

/* Is the key of the lane there? All lanes of the warp call it. */
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
