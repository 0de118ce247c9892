/* Sharded visited set in host memory, behind the device's cache in the host-backed set: keys in 2^b tables (shards),
   each used by one thread at a time. The device sorts a batch by shard (tables/kernel/shard.h); each thread of a
   pool processes shard after shard, and the result is one bit per key. So a thread stays in one small table while
   the batch has keys for it, stored keys are shorter by the bits of the shard number, and tables grow one by one:
   growth needs extra memory for one table per thread, never for two whole sets. */
#ifndef FLOE_ENGINE_HOST_BACKED_SHARDS_H
#define FLOE_ENGINE_HOST_BACKED_SHARDS_H

#include "core/status.h"
#include "core/threads/thread_pool.h"
#include "engine/budget.h"
#include "tables/kernel/shard.h"
#include "tables/table.h"

#include <stdbool.h>
#include <stddef.h>

struct shards;

struct shards_config {
  const char *scheme;      /* a scheme with find-or-put; NULL: iceberg, or bitmap if that takes no more memory */
  const char *permutation; /* of permutation_names(); NULL: the default */
  unsigned key_bits;       /* 1..64 */
  unsigned bits;         /* 2^bits shards, below key_bits; 0: chosen: 8, fewer (or one shard) for keys below 16 bits */
  uint64_t expected;     /* expected keys: the tables are sized for them, as far as the budget permits. 0: unknown */
  struct budget *budget; /* memory of the tables is taken from it and given back; it must outlive the set */
};

/* Capacity in so many bytes. Allocates nothing, and ignores `expected` and `budget`. Errors as shards_create. */
struct shards_plan {
  unsigned shards;
  struct table_shape shape; /* of each table */
  uint64_t keys, bytes;     /* of all shards */
};
floe_status shards_plan(const struct shards_config *config, uint64_t bytes, struct shards_plan *out);

/* FLOE_ERROR_USAGE: no such tables. FLOE_ERROR_MEMORY: not even small tables fit. */
floe_status shards_create(const struct shards_config *config, struct shards **out);
void shards_free(struct shards *set); /* NULL is allowed */
struct shard_rule shards_rule(const struct shards *set);

/* A batch of key rests (the key without the shard number), sorted by shard. */
struct shards_batch {
  const void *rests;
  unsigned rest_bytes;   /* 4 (rests of at most 32 bits) or 8 */
  const uint64_t *first; /* [2^bits] index of the first rest of each shard: multiples of 64, ascending */
  const uint64_t *count; /* [2^bits] number of rests of each shard; they do not overlap those of the next one */
  uint64_t *fresh;   /* bit i % 64 of word i / 64: rest i was inserted by this call. All words up to the one of the last
                        rest are written; bits that belong to no rest are 0 */
  uint64_t *refused; /* as `fresh`: the table is full for rest i; it may be retried, now or with a later batch */
  uint64_t new_count;     /* out: bits set in fresh */
  uint64_t refused_count; /* out: bits set in refused */
};

/* Find-or-put of all rests of a batch by all threads of the pool. Of equal keys exactly one is fresh, within a batch
   and over all batches; a key that is neither fresh nor refused was in the set before or is fresh elsewhere in the
   batch. If a shard is full and cannot grow (budget, memory), keys that are not in it are refused. Nothing is lost:
   later batches are answered as exactly, and each tries to grow again. One call at a time. */
void shards_find_or_put(struct shards *set, struct thread_pool *pool, struct shards_batch *batch);

/* Thread-safe at any time: */
uint64_t shards_keys(const struct shards *set);
uint64_t shards_bytes(const struct shards *set); /* of all tables */
uint64_t shards_slots(const struct shards *set);
uint64_t shards_growths(const struct shards *set); /* growths of single tables */

/* Calls `visit` with every key of part [part/parts), before mixing; each key once over all parts. Parts may be
   visited concurrently, but not while keys are inserted. Keys of a shard come together. */
void shards_each(const struct shards *set, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);

/* Inserts keys of any shards in any order, new or already contained, with growth as in shards_find_or_put.
   Thread-safe, but not concurrently with shards_find_or_put or shards_each; fastest if each thread has shards of its
   own, or keys in the order of shards_each. False: some keys did not fit; they may be retried. */
bool shards_put(struct shards *set, const uint64_t *keys, size_t n);

#endif
