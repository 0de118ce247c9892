/* Host-backed visited set, for searches that do not fit in device memory (doc/gpu.md). The device keeps its base table,
   with the keys found before it was full, and a cache of the newest keys (gpu/host_backed/device_cache.h). All keys
   found since are on the host, in shards (engine/host_backed/shards.h). The kernel looks up a successor in the cache;
   misses are candidates, which are looked up in batches in the base table and then on the host. New ones are states. */
#ifndef FLOE_GPU_EXPLORE_HOST_BACKED_SET_H
#define FLOE_GPU_EXPLORE_HOST_BACKED_SET_H

#include "core/status.h"
#include "tables/kernel/iceberg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_search;
struct host_backed_set;

/* Opens the set; the present table becomes the base table, unless it was only planned. Keys that it refused are looked
   up first. FLOE_ERROR_MEMORY, not logged: the device or the host has no room; nothing has changed, except that the
   queue may be smaller. Other errors are logged. */
floe_status host_backed_open(struct gpu_search *self);
/* Inserts the keys that the device's table refused (grow_place_pending). If the device is full, opens the host-backed
   set; if that is impossible, or other GPUs will take over, the search ends. */
void host_backed_place_pending(struct gpu_search *self);
void host_backed_free(struct gpu_search *self); /* also if there is none */

/* Looks up the first `count` keys of buffers.pending, grid.slack at most, and inserts the new ones: the initial state,
   if there is no base table; pending keys of a checkpoint. */
floe_status host_backed_put(struct gpu_search *self, uint64_t count);

/* For checkpoints, between steps and after host_backed_drain. Calls `visit` with every key on the host of the given
   part; each key once over all parts, which several threads may visit. */
void host_backed_each(const struct gpu_search *self, unsigned part, unsigned parts,
                      void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
/* Inserts keys on the host, before the first step; any number of threads at once. False: there is no room. */
bool host_backed_load(struct gpu_search *self, const uint64_t *keys, size_t n);
/* One step of the exploration: explores on the device while the host looks up the previous batch; closes the level when
   it is done. Errors end the search. */
void host_backed_step(struct gpu_search *self);
/* Finishes all lookups; new states are in the queue then. After the end, and before a checkpoint. */
void host_backed_drain(struct gpu_search *self);

/* Sizes and statistics of the set. */
struct host_backed_figures {
  uint64_t host_keys, host_slots, host_bytes, device_cache_bytes;
  uint64_t batch_bytes; /* host memory for copies of batches */
  struct geometry device_cache_geometry;
  uint64_t candidates, unresolved; /* keys not in the cache; of these, not in the base table */
  uint64_t batches, host_growths;
  /* time of the device, of lookups in the base table, of the host, of waiting for it, of applying its answers */
  double explore_seconds, select_seconds, lookup_seconds, wait_seconds, apply_seconds;
  double open_seconds; /* of host_backed_open, without compilation */
};
struct host_backed_figures host_backed_figures(const struct gpu_search *self);

#endif
