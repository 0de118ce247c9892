/* The host's level of a visited set in two levels: keys in 2^b tables, each used by one thread at a time. A batch comes
   sorted by partition (tables/kernel/shard.h: a device sorts it so), every thread of a crew takes partition after
   partition, and the answer is one bit a key. So a thread works in one small table for as long as the batch has keys
   of it, keys are narrower by the partition's bits, and tables grow one by one: growth never needs the memory of two
   whole sets, only that of one table for each thread. */
#ifndef FLOE_PARTITIONS_H
#define FLOE_PARTITIONS_H

#include "core/status.h"
#include "core/thread_pool.h"
#include "engine/budget.h"
#include "tables/kernel/shard.h"
#include "tables/table.h"

#include <stdbool.h>
#include <stddef.h>

struct shards;

struct shards_config {
  const char *scheme;      /* one that has find-or-put; NULL: iceberg, or bitmap where that takes no more memory */
  const char *permutation; /* of permutation_names(); NULL: the default */
  unsigned key_bits;       /* 1..64 */
  unsigned bits;           /* 2^bits partitions, below key_bits; 0: chosen: 8, fewer (or one) for keys below 16 bits */
  uint64_t expected;       /* keys; the tables are made for so many, as far as the budget goes. 0: not known */
  struct budget *budget;   /* all that the tables may take is taken from it, and given back; it has to stay */
};

/* What fits in so many bytes; nothing is made, `expected` and `budget` are not looked at. Errors as shards_create.
 */
struct shards_plan {
  unsigned shards;
  struct table_shape shape; /* of each table */
  uint64_t keys, bytes;     /* of all */
};
floe_status shards_plan(const struct shards_config *config, uint64_t bytes, struct shards_plan *out);

/* FLOE_ERROR_USAGE: there are no such tables. FLOE_ERROR_MEMORY: not even small ones fit. */
floe_status shards_create(const struct shards_config *config, struct shards **out);
void shards_free(struct shards *set); /* NULL is allowed */
struct shard_rule shards_rule(const struct shards *set);

/* Rests of keys, sorted by partition. */
struct shards_batch {
  const void *rests;
  unsigned rest_bytes;    /* 4 (rests of at most 32 bits) or 8 */
  const uint64_t *first;  /* [2^bits]: index of each partition's first rest: multiples of 64, ascending */
  const uint64_t *count;  /* [2^bits]: rests of each partition, of which none reaches into the next one's */
  uint64_t *fresh;        /* bit i % 64 of word i / 64: rest i was put now. All words up to the last rest's are written,
                             bits that belong to no rest are 0 */
  uint64_t *refused;      /* as `fresh`: rest i has no place: it may be asked again, now or after others */
  uint64_t new_count;     /* out: bits set in fresh */
  uint64_t refused_count; /* out: bits set in refused */
};

/* Find-or-put of all rests of a batch, by all threads of the crew. Of equal keys exactly one is fresh, in a batch and
   over all of them; a key that is neither fresh nor refused was there before or is fresh elsewhere in the batch. Where
   a partition is full and cannot grow (budget, memory) keys that are not in it are refused: nothing is lost, later
   batches are answered as exactly, and growth is tried again with each of them. One call at a time. */
void shards_find_or_put(struct shards *set, struct thread_pool *pool, struct shards_batch *batch);

/* These may be asked at any time, by any thread: */
uint64_t shards_keys(const struct shards *set);
uint64_t shards_bytes(const struct shards *set); /* of all tables */
uint64_t shards_slots(const struct shards *set);
uint64_t shards_growths(const struct shards *set); /* of single tables */

/* Calls `visit` with every key of part [part/parts), as it was before it was mixed; each key once over all parts. Parts
   may be visited concurrently, but not beside anything that puts. Keys of a partition come together. */
void shards_each(const struct shards *set, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);

/* Puts keys, of any partitions and in any order, whether they are there or not; growing as shards_find_or_put does. Any
   number of threads at once, but not beside shards_find_or_put or shards_each; fastest where each has partitions of
   its own, or keys in the order of shards_each. False: some of them have no place (which may be put again). */
bool shards_put(struct shards *set, const uint64_t *keys, size_t n);

#endif
