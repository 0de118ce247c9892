/* What a set in partitions is made of, for the files partitions*.c. */
#ifndef FLOE_PARTITIONS_STATE_H
#define FLOE_PARTITIONS_STATE_H

#include "engine/budget.h"
#include "engine/host_backed/layout_cache.h"
#include "tables/kernel/shard.h"
#include "tables/table.h"

#include <pthread.h>

/* Written by the thread that has the partition. In cache lines of its own. */
struct shard {
  _Alignas(64) struct table *table;
  uint64_t keys;         /* in it */
  uint64_t grow_at;      /* keys from which on it grows; UINT64_MAX: it cannot, for now */
  pthread_mutex_t owned; /* by the thread that puts into it (shards_put) */
};

/* Totals are figures that all threads add to, and that no other data depends on: relaxed order. */
struct shards {
  struct shard_rule rule;
  unsigned count;             /* 2^bits */
  unsigned threads;           /* that may grow tables at once */
  struct table_config config; /* of every table, but for its slots */
  double fill;                /* of a table when it grows */
  bool given;                 /* made for a number of keys that is known */
  bool any;                   /* a table may become a bitmap */
  struct budget *budget;
  struct layout_cache layouts; /* of `config` with any slots */
  _Atomic uint64_t keys, bytes, slots, growths;
  struct shard *shard; /* [count] */
};

static inline void shards_add(_Atomic uint64_t *total, uint64_t n) {
  atomic_fetch_add_explicit(total, n, memory_order_relaxed);
}

static inline uint64_t shards_total(const _Atomic uint64_t *total) {
  return atomic_load_explicit(total, memory_order_relaxed);
}

enum { SHARD_CHUNK = 2048 }; /* keys that are worked on together: they and their answers stay in the first cache */

/* shards_grow.c */
floe_status shard_first(struct shards *set, struct shard *shard, const struct table_config *config);
void shard_clear(struct shards *set, struct shard *shard); /* gives its table back */
/* As large a number of keys as it holds, or as it was made for: to be asked before each batch, since memory may have
   come back. */
void shard_may_grow(const struct shards *set, struct shard *shard);

/* Puts rests into a partition that is the calling thread's, answers as table_find_or_put; it grows where that is due.
   At most SHARD_CHUNK of them. Returns the number of TABLE_FULL. */
size_t shard_put(struct shards *set, struct shard *shard, const uint64_t *rests, size_t n, uint8_t *answers);

#endif
