/* Parameters of the kernels in gpu/kernel/host_backed/host_backed_set.h, by value; pointers are device addresses.
   Text shared by host C and CUDA C. */
#ifndef FLOE_GPU_KERNEL_HOST_BACKED_HOST_LOOKUP_H
#define FLOE_GPU_KERNEL_HOST_BACKED_HOST_LOOKUP_H

#include "tables/kernel/shard.h"

struct gpu_control;

/* Candidates on their way to the host's part of a host-backed visited set. */
struct gpu_host_lookup {
  const uint64_t *candidates; /* [count] candidates */
  uint64_t count;
  uint64_t *unresolved;       /* [count] written by floe_host_lookup_select: candidates that the device base does not
                                 contain */
  uint64_t *unresolved_count; /* incremented */
  uint64_t *counts;    /* [shards] floe_host_lookup_select counts keys per shard; floe_host_lookup_bin uses them as the
                          next index in `keys` */
  uint64_t *keys;      /* written by floe_host_lookup_bin: the unresolved keys, grouped by shard */
  void *rests;         /* the rest of each key (shard_of), in rest_bytes */
  uint32_t rest_bytes; /* 4, 8 */
  uint32_t has_base;   /* 0: there is no device base, the table is not read */
  struct shard_rule rule;
};

/* The host's answers, by value to floe_host_lookup_apply. */
struct gpu_host_answers {
  struct gpu_control *control;
  const uint64_t *keys;  /* as floe_host_lookup_bin wrote them; undefined between shards */
  const uint32_t *fresh; /* bit i % 32 of word i / 32: keys[i] is new */
  uint64_t count;        /* number of bits, a multiple of 32 */
  uint64_t *ring;
  uint64_t ring_mask;
};

#endif
