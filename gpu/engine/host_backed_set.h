/* The visited set of a search on a device in two levels, where it does not fit the device's memory (doc/gpu.md). The
   device keeps the oldest keys, those found while its table had room, and the newest ones (gpu/host_backed/device_cache.h); all that were
   found since are on the host, in partitions (engine/host_backed/shards.h). A successor is looked up among the newest; those
   not there are candidates, which go in batches through the oldest to the host, whose answer says which are states. */
#ifndef FLOE_GPU_TWO_LEVELS_H
#define FLOE_GPU_TWO_LEVELS_H

#include "core/status.h"
#include "tables/kernel/iceberg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_search;
struct host_backed_set;

/* rank->two from here on: the table as it is has the oldest keys; one without memory (it was only planned) has none.
   Keys that it refused are asked first. FLOE_ERROR_MEMORY, not told: the device or the host has no room for it; the
   rank is as it was, but that its queue may be smaller. Other errors are told. */
floe_status host_backed_open(struct gpu_search *self);
void host_backed_free(struct gpu_search *self); /* where there is none is allowed */

/* The first `count` keys at rank->pending, as if they had been found: the initial state, where there is no table that
   has it; what a checkpoint had pending. No more than rank->slack. */
floe_status host_backed_put(struct gpu_search *self, uint64_t count);

/* For checkpoints, between turns after host_backed_settle. Calls `visit` with every key on the host of part
   [part/parts); each key once over all parts, which may be visited by several threads. */
void host_backed_each(const struct gpu_search *self, unsigned part, unsigned parts,
                     void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
/* Keys for the host, before the first turn; any number of threads at once. False: they have no place. */
bool host_backed_load(struct gpu_search *self, const uint64_t *keys, size_t n);
/* Goes on for a bit, instead of a launch: explores on the device while the host answers what was found before; closes
   the level where it is done. Errors and ends are the search's. */
void host_backed_turn(struct gpu_search *self);
/* All that was asked is answered, and new states are in the queue: after the end, and before a checkpoint. */
void host_backed_settle(struct gpu_search *self);

/* What the host's level, and the newest part, have taken and hold. */
struct host_backed_figures {
  uint64_t host_keys, host_slots, host_bytes, device_cache_bytes;
  uint64_t batch_bytes; /* of the host, for the copies of batches */
  struct geometry device_cache_geometry;
  uint64_t candidates, asked; /* not known to the newest part; of these, not among the oldest */
  uint64_t batches, host_growths;
  /* of the device's work, of sending, of the host's work, of waiting for it, of taking in its answers */
  double explore_seconds, ask_seconds, answer_seconds, wait_seconds, sift_seconds;
  double open_seconds; /* of making all this, kernels left out */
};
struct host_backed_figures host_backed_figures(const struct gpu_search *self);

#endif
