/* Candidates of a visited set of two levels on their way from the device to the host's level, in batches, and answers
   on their way back: buffers and kernels (gpu/kernel/host_backed/host_backed_set.h). */
#ifndef FLOE_GPU_ASK_H
#define FLOE_GPU_ASK_H

#include "engine/host_backed/shards.h"
#include "gpu/jit/kernels.h"
#include "gpu/driver/memory.h"

#include "gpu/kernel/host_backed/host_lookup.h"

/* What is asked together. The keys are on the device, what is left of each for its partition is on the host. */
struct asking_batch {
  gpu_address keys;
  void *rests;                     /* page-locked, as the bits */
  uint64_t *fresh;                 /* answers: bit i for keys[i] */
  uint64_t *refused;               /* the host's level has no place for it */
  uint64_t *first, *count;         /* [partitions] */
  uint64_t end;                    /* places in use, gaps between partitions counted */
  uint64_t asked;                  /* keys */
  struct partitions_batch answers; /* all of this, as the host's level has it */
};

enum { ASKING_BATCHES = 2 }; /* one is filled while the other is answered */

struct asking {
  struct gpu *gpu;
  struct gpu_module *module;
  struct gpu_kernel ask, bin, sift;
  struct partition_rule rule;
  unsigned rest_bytes;
  uint64_t room;   /* for candidates */
  uint64_t places; /* of a batch */
  gpu_address found, asked, counts, rests, fresh;
  uint64_t *counts_read; /* [partitions + 1] */
  struct asking_batch batches[ASKING_BATCHES];
  struct gpu_budget *device;
  uint64_t device_bytes; /* taken of it */
};

/* Bytes of the device that buffers for so many candidates take. */
uint64_t asking_bytes(struct partition_rule rule, uint64_t room);
/* Bytes of the host, page-locked for the most part. */
uint64_t asking_host_bytes(struct partition_rule rule, uint64_t room);
/* Buffers; `module` and kernels are the caller's to set before and to free after. FLOE_ERROR_MEMORY: not told. After
   any error asking_free is called, too. */
floe_status asking_make(struct gpu *gpu, struct gpu_budget *budget, struct partition_rule rule, uint64_t room,
                        struct asking *asking);
void asking_free(struct asking *asking);

/* Candidates [0, count) of `found` that the oldest keys (`view` of their table; NULL: there are none) do not have
   become `batch`, with what the host's level wants on the host. Waits for the device. */
floe_status asking_ask(struct asking *asking, const void *view, uint64_t count, struct asking_batch *batch);
/* In the stream: the batch's new keys become states in the ring, at control->next_end. */
floe_status asking_sift(struct asking *asking, const struct asking_batch *batch, gpu_address control, gpu_address ring,
                        uint64_t ring_mask);

#endif
