#define _GNU_SOURCE
/* The sharded set in host memory (engine/host_backed/shards.h) under the load of a host-backed search: batches of
   keys sorted by shard, all threads. For comparison one plain table that all threads share, with unsorted keys.

       shards [-k KEY_BITS] [-b SHARD_BITS] [-n KEYS] [-t THREADS] [-B BATCH] [-s SCHEME] [-f PERCENT] [-gopc]

   -f: tables for so many percent of the keys; -g: tables grow from small ones, instead of being created for all
   keys; -o: the rests of each batch and shard are sorted by bucket, which shows the greatest possible gain of
   sorting; -p: the plain table; -c: processor time, for busy machines. Prints a line with billions of keys a second
   for `new` (fills the set), `known` (random keys of it) and `mixed` (half of them new, a tenth of the set in
   addition). Generating batches is not measured. */
#include "engine/host_backed/shards.h"
#include "base/splitmix64.h"
#include "core/system/clock.h"
#include "core/threads/thread_pool.h"
#include "engine/host_backed/shards_state.h"
#include "tables/permutation.h"
#include "tables/radix_sort.h"
#include "tables/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TOOL "shards"
#include "bench/tool.h"

#define MOST_LOOKUPS UINT64_C(2000000000) /* of `known` and `mixed` each */

enum phase { NEW, KNOWN, MIXED, PHASES };
static const char *const phase_names[PHASES] = {"new", "known", "mixed"};

struct bench {
  unsigned key_bits, bits, threads;
  uint64_t keys, batch_keys, fill;
  bool grows, plain, ordered, processor_time;
  const char *scheme;
  struct budget budget;
  struct thread_pool *pool;
  struct shards *set;
  struct shard_rule rule;
  struct table *table; /* -p */
  struct shards_batch batch;
  uint64_t *first, *count;
  void *rests;
  enum phase phase;
  uint64_t done, known; /* of the phase; keys in the set before it */
  _Atomic unsigned ticket;
  _Atomic uint64_t fresh;
};

static uint64_t random_word(uint64_t z) {
  z += UINT64_C(0x9e3779b97f4a7c15);
  return splitmix64_mix(z);
}

/* The number of the i-th lookup's key in the phase: numbers below `known` are in the set. */
static uint64_t number_of(const struct bench *bench, uint64_t i) {
  const uint64_t any = (uint64_t)((unsigned __int128)random_word(i) * (bench->known ? bench->known : 1) >> 64);
  if (bench->phase == NEW)
    return i;
  return bench->phase == KNOWN || i % 2 ? any : bench->known + i / 2;
}

/* ---- batches --------------------------------------------------------------------------------- */

static void store(const struct bench *bench, uint64_t at, uint64_t rest) {
  if (bench->batch.rest_bytes == 4)
    ((uint32_t *)bench->rests)[at] = (uint32_t)rest;
  else
    ((uint64_t *)bench->rests)[at] = rest;
}

/* Sorts by the table's address of each rest; not measured. */
static void sort_partition(struct bench *bench, unsigned shard) {
  const uint64_t n = bench->count[shard], first = bench->first[shard];
  const uint64_t buckets = table_shape(bench->set->shard[shard].table)->buckets;
  struct numbered *items = calloc(2 * n + 1, sizeof *items), *sorted;
  struct permutation permutation;
  if (!items || permutation_make(NULL, shard_rest_bits(bench->rule), 0, 0, NULL, &permutation) != FLOE_OK)
    fail("no memory");
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t rest =
        bench->batch.rest_bytes == 4 ? ((uint32_t *)bench->rests)[first + i] : ((uint64_t *)bench->rests)[first + i];
    items[i] = (struct numbered){permutation_apply(&permutation, rest) % buckets, rest};
  }
  sorted = radix_sort(items, items + n, n, 40);
  for (uint64_t i = 0; i < n; i++)
    store(bench, first + i, sorted[i].number);
  free(items);
}

/* Shard p has the keys with numbers p, p + P, ...: its j-th rest is the mixed number j. The order of a shard's keys
   is as random as with keys that are mixed as a whole. */
static void make_partition(struct bench *bench, unsigned shard) {
  const unsigned shards = 1u << bench->rule.bits;
  const uint64_t each = bench->batch_keys / shards, from = bench->done / shards;
  struct bench mine = {.phase = bench->phase, .known = bench->known / shards};
  bench->first[shard] = shard * ((each + 63) / 64 * 64);
  bench->count[shard] = each;
  for (uint64_t i = 0; i < each; i++)
    store(bench, bench->first[shard] + i, shard_mix(shard_rest_bits(bench->rule), number_of(&mine, from + i)));
  if (bench->ordered)
    sort_partition(bench, shard);
}

static void make_piece(struct bench *bench, unsigned piece) {
  const uint64_t each = bench->batch_keys / 256;
  for (uint64_t i = each * piece; i < each * (piece + 1); i++)
    ((uint64_t *)bench->rests)[i] = shard_mix(bench->key_bits, number_of(bench, bench->done + i));
}

static void make_batch(void *user, unsigned member) {
  struct bench *bench = user;
  const unsigned all = bench->plain ? 256 : 1u << bench->rule.bits;
  unsigned ticket;
  (void)member;
  while ((ticket = atomic_fetch_add(&bench->ticket, 1)) < all)
    if (bench->plain)
      make_piece(bench, ticket);
    else
      make_partition(bench, ticket);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void answer_plain(void *user, unsigned member) {
  enum { PIECE = 2048 };
  struct bench *bench = user;
  uint8_t answers[PIECE];
  uint64_t fresh = 0;
  unsigned ticket;
  (void)member;
  while ((ticket = atomic_fetch_add(&bench->ticket, 1)) < bench->batch_keys / PIECE) {
    const uint64_t *keys = (const uint64_t *)bench->rests + (uint64_t)ticket * PIECE;
    if (table_find_or_put(bench->table, keys, PIECE, answers))
      fail("the table is full");
    for (size_t i = 0; i < PIECE; i++)
      fresh += answers[i] == TABLE_PUT;
  }
  atomic_fetch_add(&bench->fresh, fresh);
}

static uint64_t answer(struct bench *bench) {
  atomic_store(&bench->ticket, 0);
  atomic_store(&bench->fresh, 0);
  if (bench->plain) {
    pool_run(bench->pool, answer_plain, bench);
    return atomic_load(&bench->fresh);
  }
  shards_find_or_put(bench->set, bench->pool, &bench->batch);
  if (bench->batch.refused_count)
    fail("keys are refused");
  return bench->batch.new_count;
}

/* ---- phases ---------------------------------------------------------------------------------- */

/* Processor time of all threads, divided by their number; excludes other programs. */
static double seconds_of(const struct bench *bench) {
  struct timespec used;
  if (!bench->processor_time)
    return clock_seconds();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return ((double)used.tv_sec + 1e-9 * (double)used.tv_nsec) / pool_size(bench->pool);
}

static void run_phase(struct bench *bench, enum phase phase, uint64_t lookups) {
  double seconds = 0;
  uint64_t fresh = 0;
  bench->phase = phase;
  for (bench->done = 0; bench->done < lookups; bench->done += bench->batch_keys) {
    atomic_store(&bench->ticket, 0);
    pool_run(bench->pool, make_batch, bench);
    const double begun = seconds_of(bench);
    fresh += answer(bench);
    seconds += seconds_of(bench) - begun;
  }
  bench->known += fresh;
  if ((phase == NEW && fresh != bench->done) || (phase == KNOWN && fresh) ||
      (phase == MIXED && 2 * fresh != bench->done))
    fail("wrong answers");
  printf(" %s %.3f", phase_names[phase], (double)bench->done / seconds / 1e9);
  fflush(stdout);
}

/* Rounds to batches of whole segments with equally many keys for each shard, at least one batch of them mixed. */
static void round_sizes(struct bench *bench) {
  const uint64_t unit = 1 << 19;
  bench->batch_keys = (bench->batch_keys + unit - 1) / unit * unit;
  bench->keys = (bench->keys + bench->batch_keys - 1) / bench->batch_keys * bench->batch_keys;
}

static void open_sets(struct bench *bench) {
  const uint64_t expected = bench->grows ? 0 : bench->keys + bench->keys / 10 + bench->batch_keys;
  const uint64_t room = expected * bench->fill / 100;
  const struct shards_config config = {.scheme = bench->scheme,
                                       .key_bits = bench->key_bits,
                                       .bits = bench->bits,
                                       .expected = room,
                                       .budget = &bench->budget};
  const struct table_config table = {.scheme = bench->scheme,
                                     .key_bits = bench->key_bits,
                                     .packed = true,
                                     .slots = (uint64_t)(1.02 * (double)room / table_fill(bench->scheme))};
  bench->budget.limit = UINT64_C(1) << 60;
  if (pool_create(bench->threads, &bench->pool) != FLOE_OK)
    fail("no threads");
  if (bench->plain ? table_create(&table, &bench->table) : shards_create(&config, &bench->set))
    fail("no such set");
  if (!bench->plain)
    bench->rule = shards_rule(bench->set);
}

static void open_batch(struct bench *bench) {
  const uint64_t shards = 1u << bench->rule.bits;
  const uint64_t room = bench->batch_keys + 64 * shards;
  bench->first = calloc(shards, sizeof *bench->first);
  bench->count = calloc(shards, sizeof *bench->count);
  bench->rests = calloc(room, sizeof(uint64_t));
  bench->batch = (struct shards_batch){.rests = bench->rests,
                                       .rest_bytes = bench->key_bits - bench->rule.bits <= 32 ? 4 : 8,
                                       .first = bench->first,
                                       .count = bench->count,
                                       .fresh = calloc(room / 64 + 1, sizeof(uint64_t)),
                                       .refused = calloc(room / 64 + 1, sizeof(uint64_t))};
  if (!bench->first || !bench->count || !bench->rests || !bench->batch.fresh || !bench->batch.refused)
    fail("no memory");
}

static void close_all(struct bench *bench) {
  shards_free(bench->set);
  table_free(bench->table);
  pool_free(bench->pool);
  free(bench->batch.fresh);
  free(bench->batch.refused);
  free(bench->first);
  free(bench->count);
  free(bench->rests);
}

static void parse(struct bench *bench, int argc, char **argv) {
  int option;
  while ((option = getopt(argc, argv, "k:b:n:t:B:f:s:gopc")) != -1)
    switch (option) {
    case 'k':
      bench->key_bits = (unsigned)atoi(optarg);
      break;
    case 'b':
      bench->bits = (unsigned)atoi(optarg);
      break;
    case 'n':
      bench->keys = (uint64_t)atof(optarg);
      break;
    case 't':
      bench->threads = (unsigned)atoi(optarg);
      break;
    case 'B':
      bench->batch_keys = (uint64_t)atof(optarg);
      break;
    case 'f':
      bench->fill = (uint64_t)atoi(optarg);
      break;
    case 's':
      bench->scheme = optarg;
      break;
    case 'g':
      bench->grows = true;
      break;
    case 'p':
      bench->plain = true;
      break;
    case 'o':
      bench->ordered = true;
      break;
    case 'c':
      bench->processor_time = true;
      break;
    default:
      fail("see the top of its source");
    }
  if (bench->plain && bench->grows)
    fail("a plain table does not grow");
}

int main(int argc, char **argv) {
  static struct bench bench = {.key_bits = 40, .keys = 50000000, .threads = 1, .batch_keys = 1 << 24, .fill = 100};
  parse(&bench, argc, argv);
  round_sizes(&bench);
  open_sets(&bench);
  open_batch(&bench);
  printf("%s: %u bits, 2^%u partitions, %u threads, %.0f M keys, batches of %.1f M:", bench.plain ? "plain" : "parts",
         bench.key_bits, bench.rule.bits, pool_size(bench.pool), (double)bench.keys / 1e6,
         (double)bench.batch_keys / 1e6);
  run_phase(&bench, NEW, bench.keys);
  run_phase(&bench, KNOWN, bench.keys < MOST_LOOKUPS ? bench.keys : MOST_LOOKUPS);
  run_phase(&bench, MIXED, bench.keys / 5 < MOST_LOOKUPS ? bench.keys / 5 : MOST_LOOKUPS);
  const uint64_t bytes = bench.plain ? table_shape(bench.table)->bytes : shards_bytes(bench.set);
  printf(" G/s; %.2f GiB, %.2f bytes a key, %" PRIu64 " growths\n", (double)bytes / (1 << 30),
         (double)bytes / (double)bench.known, bench.plain ? 0 : shards_growths(bench.set));
  close_all(&bench);
  return EXIT_SUCCESS;
}
