/* What the host and the kernels of gpu/kernel/host_backed/host_backed_set.h exchange, by value; pointers are device addresses. Text
   shared by host C and CUDA C. */
#ifndef FLOE_GPU_ASKING_H
#define FLOE_GPU_ASKING_H

#include "tables/kernel/shard.h"

struct gpu_control;

/* Candidates on their way to the host's level of a visited set of two levels. */
struct gpu_host_lookup {
  const uint64_t *found; /* [count] candidates */
  uint64_t count;
  uint64_t *asked;       /* [count] written by floe_host_lookup_select: those that the oldest keys do not have */
  uint64_t *asked_count; /* added to */
  uint64_t
      *counts;    /* [partitions] floe_host_lookup_select adds how many there are; floe_host_lookup_bin takes them for the next place in `keys` */
  uint64_t *keys; /* written by floe_host_lookup_bin: the keys asked, those of a partition one after the other */
  void *rests;    /* and what shard_of leaves of each, in rest_bytes */
  uint32_t rest_bytes; /* 4, 8 */
  uint32_t has_oldest; /* 0: there are none, the table is not looked at */
  struct shard_rule rule;
};

/* Answers on their way back, by value to floe_host_lookup_apply. */
struct gpu_host_answers {
  struct gpu_control *control;
  const uint64_t *keys;  /* as floe_host_lookup_bin left them; between partitions anything */
  const uint32_t *fresh; /* bit i % 32 of word i / 32: keys[i] is new */
  uint64_t count;        /* of bits, a multiple of 32 */
  uint64_t *ring;
  uint64_t ring_mask;
};

#endif
