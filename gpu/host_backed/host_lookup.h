/* Lookups of a host-backed visited set from the device on the host, in batches: buffers and kernels for candidates and
   answers (gpu/kernel/host_backed/host_backed_set.h). */
#ifndef FLOE_GPU_HOST_BACKED_HOST_LOOKUP_H
#define FLOE_GPU_HOST_BACKED_HOST_LOOKUP_H

#include "engine/host_backed/shards.h"
#include "gpu/driver/memory.h"
#include "gpu/jit/kernels.h"

#include "gpu/kernel/host_backed/host_lookup.h"

/* Keys looked up together. They are on the device; the host has the rest of each key within its shard. */
struct host_lookup_batch {
  gpu_address keys;
  void *rests;                 /* page-locked, like fresh */
  uint64_t *fresh;             /* answers: bit i for keys[i] */
  uint64_t *refused;           /* the same: the host has no place for the key */
  uint64_t *first, *count;     /* [shards] */
  uint64_t end;                /* positions in use, including gaps between shards */
  uint64_t unresolved;         /* keys */
  struct shards_batch answers; /* the same as input of the host */
};

enum { HOST_LOOKUP_BATCHES = 2 }; /* one is filled while the other one is looked up */

struct host_lookup {
  struct gpu *gpu;
  struct gpu_module *module;
  struct gpu_kernel select, bin, apply_answers;
  struct shard_rule rule;
  unsigned rest_bytes;
  uint64_t room;   /* candidates of a batch */
  uint64_t places; /* positions of a batch */
  gpu_address candidates, unresolved, counts, rests, fresh;
  uint64_t *counts_read; /* [shards + 1] */
  struct host_lookup_batch batches[HOST_LOOKUP_BATCHES];
  struct gpu_budget *device;
  uint64_t device_bytes; /* taken from it */
};

/* Device memory of the buffers for so many candidates, in bytes. */
uint64_t host_lookup_bytes(struct shard_rule rule, uint64_t room);
/* Host memory in bytes, mostly page-locked. */
uint64_t host_lookup_host_bytes(struct shard_rule rule, uint64_t room);
/* Allocates the buffers; the caller sets `module` and kernels before, and frees the module after. FLOE_ERROR_MEMORY:
   not logged. host_lookup_free must be called after errors, too. */
floe_status host_lookup_make(struct gpu *gpu, struct gpu_budget *budget, struct shard_rule rule, uint64_t room,
                             struct host_lookup *host_lookup);
void host_lookup_free(struct host_lookup *host_lookup);

/* Looks candidates [0, count) of `candidates` up in the base table (`view`; NULL: none); the others become `batch`,
   with their rests on the host. Waits for the device. */
floe_status host_lookup_select(struct host_lookup *host_lookup, const void *view, uint64_t count,
                               struct host_lookup_batch *batch);
/* In the stream: appends the batch's new keys to the ring, at control->next_end. */
floe_status host_lookup_apply(struct host_lookup *host_lookup, const struct host_lookup_batch *batch,
                              gpu_address control, gpu_address ring, uint64_t ring_mask);

#endif
