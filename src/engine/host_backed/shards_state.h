/* Internals of the sharded set, shared by shards*.c. */
#ifndef FLOE_ENGINE_HOST_BACKED_SHARDS_STATE_H
#define FLOE_ENGINE_HOST_BACKED_SHARDS_STATE_H

#include "engine/budget.h"
#include "engine/host_backed/layout_cache.h"
#include "tables/kernel/shard.h"
#include "tables/table.h"

#include <pthread.h>

/* One shard, written by the thread that holds it; in cache lines of its own. */
struct shard {
  _Alignas(64) struct table *table;
  uint64_t keys;         /* keys in the table */
  uint64_t grow_at;      /* it grows at so many keys; UINT64_MAX: it cannot, for now */
  pthread_mutex_t mutex; /* held by the thread that inserts (shards_put) */
};

/* All threads add to the totals, on which no other data depends: relaxed order. */
struct shards {
  struct shard_rule rule;
  unsigned count;             /* 2^bits */
  unsigned threads;           /* that may grow tables concurrently */
  struct table_config config; /* of every table, except its slots */
  double fill;                /* load factor at which a table grows */
  bool sized;                 /* sized for a known number of keys */
  bool may_use_bitmap;        /* a table may be replaced by a bitmap */
  struct budget *budget;
  struct layout_cache layouts; /* for `config` with any number of slots */
  _Atomic uint64_t keys, bytes, slots, growths;
  struct shard *shard; /* [count] */
};

static inline void shards_add(_Atomic uint64_t *total, uint64_t n) {
  atomic_fetch_add_explicit(total, n, memory_order_relaxed);
}

static inline uint64_t shards_total(const _Atomic uint64_t *total) {
  return atomic_load_explicit(total, memory_order_relaxed);
}

enum { SHARD_CHUNK = 2048 }; /* keys processed together: they and their results stay in the first-level cache */

/* shards_grow.c */
floe_status shard_first(struct shards *set, struct shard *shard, const struct table_config *config);
void shard_clear(struct shards *set, struct shard *shard); /* frees its table */
/* Sets grow_at to the capacity, or to the number of keys that it was made for. Call it before each batch, because
   memory may have been freed. */
void shard_may_grow(const struct shards *set, struct shard *shard);

/* Inserts at most SHARD_CHUNK rests into a shard that the calling thread holds; results as of table_find_or_put.
   Grows the table if due. Returns the number of TABLE_FULL. */
size_t shard_put(struct shards *set, struct shard *shard, const uint64_t *rests, size_t n, uint8_t *answers);

#endif
