/* Candidates of a visited set of two levels on their way from the device to the host's level, in batches, and answers
   on their way back: buffers and kernels (gpu/kernel/host_backed/host_backed_set.h). */
#ifndef FLOE_GPU_ASK_H
#define FLOE_GPU_ASK_H

#include "engine/host_backed/shards.h"
#include "gpu/jit/kernels.h"
#include "gpu/driver/memory.h"

#include "gpu/kernel/host_backed/host_lookup.h"

/* What is asked together. The keys are on the device, what is left of each for its partition is on the host. */
struct host_lookup_batch {
  gpu_address keys;
  void *rests;                     /* page-locked, as the bits */
  uint64_t *fresh;                 /* answers: bit i for keys[i] */
  uint64_t *refused;               /* the host's level has no place for it */
  uint64_t *first, *count;         /* [partitions] */
  uint64_t end;                    /* places in use, gaps between partitions counted */
  uint64_t asked;                  /* keys */
  struct shards_batch answers; /* all of this, as the host's level has it */
};

enum { HOST_LOOKUP_BATCHES = 2 }; /* one is filled while the other is answered */

struct host_lookup {
  struct gpu *gpu;
  struct gpu_module *module;
  struct gpu_kernel ask, bin, apply_answers;
  struct shard_rule rule;
  unsigned rest_bytes;
  uint64_t room;   /* for candidates */
  uint64_t places; /* of a batch */
  gpu_address found, asked, counts, rests, fresh;
  uint64_t *counts_read; /* [partitions + 1] */
  struct host_lookup_batch batches[HOST_LOOKUP_BATCHES];
  struct gpu_budget *device;
  uint64_t device_bytes; /* taken of it */
};

/* Bytes of the device that buffers for so many candidates take. */
uint64_t host_lookup_bytes(struct shard_rule rule, uint64_t room);
/* Bytes of the host, page-locked for the most part. */
uint64_t host_lookup_host_bytes(struct shard_rule rule, uint64_t room);
/* Buffers; `module` and kernels are the caller's to set before and to free after. FLOE_ERROR_MEMORY: not told. After
   any error host_lookup_free is called, too. */
floe_status host_lookup_make(struct gpu *gpu, struct gpu_budget *budget, struct shard_rule rule, uint64_t room,
                        struct host_lookup *host_lookup);
void host_lookup_free(struct host_lookup *host_lookup);

/* Candidates [0, count) of `found` that the oldest keys (`view` of their table; NULL: there are none) do not have
   become `batch`, with what the host's level wants on the host. Waits for the device. */
floe_status host_lookup_ask(struct host_lookup *host_lookup, const void *view, uint64_t count, struct host_lookup_batch *batch);
/* In the stream: the batch's new keys become states in the ring, at control->next_end. */
floe_status host_lookup_apply(struct host_lookup *host_lookup, const struct host_lookup_batch *batch, gpu_address control, gpu_address ring,
                        uint64_t ring_mask);

#endif
