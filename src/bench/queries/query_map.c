#include "bench/queries/query_map.h"

#include "bench/queries/misses.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "core/system/defaults.h"
#include "core/threads/thread_pool.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define LOAD 0.9         /* part of the slots */
#define PIECE (1u << 20) /* pairs per put */

struct query_map {
  floe_bench_mixed_case of;
  floe_hash_table *table;
  struct thread_pool *pool;    /* generates queries and verifies answers */
  struct query_counts *counts; /* [pool_size] */
  int misses;                  /* counter */
  uint8_t *present;            /* [pairs], for queries_verify */
  struct query_list list;      /* [room], as the following: */
  uint8_t *operations, *answers;
  size_t room;
  const struct queries *queries; /* current queries: [first, first + n) */
  uint64_t first;
  size_t n;
};

/* ---- memory ---------------------------------------------------------------------------------- */

static void free_lists(struct query_map *map) {
  const size_t words = map->room * sizeof(uint64_t);
  pages_free(map->list.numbers, words);
  pages_free(map->list.keys, words);
  pages_free(map->list.values, words);
  pages_free(map->list.kinds, map->room);
  pages_free(map->operations, map->room);
  pages_free(map->answers, map->room);
  map->list = (struct query_list){0};
  map->operations = map->answers = NULL;
  map->room = 0;
}

static floe_status allocate_lists(struct query_map *map, size_t n) {
  if (n <= map->room)
    return FLOE_OK;
  free_lists(map);
  const size_t words = n * sizeof(uint64_t);
  map->room = n;
  map->list = (struct query_list){pages_alloc(words), pages_alloc(words), pages_alloc(words), pages_alloc(n)};
  map->operations = pages_alloc(n);
  map->answers = pages_alloc(n);
  if (map->list.numbers && map->list.keys && map->list.values && map->list.kinds && map->operations && map->answers)
    return FLOE_OK;
  free_lists(map);
  return FLOE_ERROR_MEMORY;
}

/* ---- the table ------------------------------------------------------------------------------- */

static floe_hash_options table_options(const floe_bench_options *how, const floe_bench_mixed_case *what) {
  floe_hash_options options;
  floe_hash_options_init(&options);
  options.scheme = what->table;
  options.variant = what->variant;
  options.key_bits = options.value_bits = 64;
  options.slots = (uint64_t)((double)what->pairs / LOAD) + 1;
  options.recent_slots = what->recent;
  options.batch = what->batch;
  options.seed = what->seed;
  options.timed = what->timed;
  options.engine = how->engine;
  options.threads = what->threads;
  options.gpu_device = how->gpu_device;
  options.cache_dir = how->cache_dir;
  return options;
}

/* Copies the first error of `log`, with its hint. */
static void copy_error(const floe_log *log, size_t size, char *why) {
  for (size_t i = 0; i < floe_log_count(log); i++) {
    const floe_message *message = floe_log_at(log, i);
    if (message->severity != FLOE_ERROR)
      continue;
    snprintf(why, size, "%s%s%s", message->message, message->hint ? "; " : "", message->hint ? message->hint : "");
    return;
  }
}

floe_status query_map_plan(const floe_bench_options *how, const floe_bench_mixed_case *what, size_t size, char *why) {
  const floe_hash_options options = table_options(how, what);
  floe_hash_info info;
  floe_log *log;
  FLOE_TRY(floe_log_create(&log));
  floe_status status = floe_hash_plan(&options, log, &info);
  if (status == FLOE_ERROR_USAGE)
    copy_error(log, size, why);
  floe_log_free(log);
  return status;
}

struct piece {
  struct query_map *map;
  uint64_t first;
  size_t n;
};

/* A thread's part of [0, n). */
static void thread_part(const struct query_map *map, unsigned member, size_t n, size_t *from, size_t *to) {
  const size_t members = pool_size(map->pool);
  *from = n * member / members;
  *to = n * (member + 1) / members;
}

static void make_pairs(void *user, unsigned member) {
  const struct piece *piece = user;
  struct query_map *map = piece->map;
  size_t from, to;
  thread_part(map, member, piece->n, &from, &to);
  for (size_t i = from; i < to; i++) {
    map->list.keys[i] = query_key(piece->first + i);
    map->list.values[i] = query_value(piece->first + i, 0);
  }
}

static floe_status fill(struct query_map *map) {
  FLOE_TRY(allocate_lists(map, PIECE));
  for (uint64_t at = 0; at < map->of.pairs; at += PIECE) {
    const size_t n = map->of.pairs - at < PIECE ? (size_t)(map->of.pairs - at) : PIECE;
    struct piece piece = {map, at, n};
    size_t full;
    pool_run(map->pool, make_pairs, &piece);
    FLOE_TRY(floe_hash_run(map->table, FLOE_HASH_PUT, map->list.keys, map->list.values, n, map->answers, &full));
    for (size_t i = 0; i < n; i++)
      map->present[at + i] = map->answers[i] == FLOE_HASH_NEW ? 0 : QUERY_ABSENT;
  }
  return FLOE_OK;
}

floe_status query_map_create(const floe_bench_options *how, const floe_bench_mixed_case *what, floe_log *log,
                             struct query_map **out) {
  const floe_hash_options options = table_options(how, what);
  struct query_map *map = mem_alloc(sizeof *map);
  if (!map)
    return FLOE_ERROR_MEMORY;
  map->of = *what;
  map->misses = misses_open(); /* before any thread is created */
  map->present = pages_alloc(what->pairs);
  floe_status status = map->present ? pool_create(defaults_threads(), &map->pool) : FLOE_ERROR_MEMORY;
  if (status == FLOE_OK)
    map->counts = mem_array(pool_size(map->pool), sizeof *map->counts);
  if (status == FLOE_OK)
    status = map->counts ? floe_hash_create(&options, log, &map->table) : FLOE_ERROR_MEMORY;
  if (status == FLOE_OK)
    status = fill(map);
  if (status == FLOE_OK)
    *out = map;
  else
    query_map_free(map);
  return status;
}

void query_map_free(struct query_map *map) {
  if (!map)
    return;
  floe_hash_free(map->table);
  pool_free(map->pool);
  mem_free(map->counts);
  free_lists(map);
  pages_free(map->present, map->of.pairs);
  misses_close(map->misses);
  mem_free(map);
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

bool query_map_fits(const struct query_map *map, const floe_bench_mixed_case *what) {
  const floe_bench_mixed_case *of = &map->of;
  return same_text(of->table, what->table) && same_text(of->variant, what->variant) && of->threads == what->threads &&
         of->pairs == what->pairs && of->recent == what->recent && of->batch == what->batch && of->seed == what->seed &&
         of->timed == what->timed;
}

/* ---- queries --------------------------------------------------------------------------------- */

static void make_queries(void *user, unsigned member) {
  const struct query_map *map = user;
  size_t from, to;
  thread_part(map, member, map->n / QUERY_BLOCK, &from, &to);
  from *= QUERY_BLOCK;
  to *= QUERY_BLOCK;
  const struct query_list list = {map->list.numbers + from, map->list.keys + from, map->list.values + from,
                                  map->list.kinds + from};
  queries_make(map->queries, map->first + from, to - from, &list);
}

/* Sets the table's operations from the kinds, and invalid answers. */
static void set_operations(void *user, unsigned member) {
  static const uint8_t operations[] = {
      [QUERY_FIND] = FLOE_HASH_GET, [QUERY_PUT] = FLOE_HASH_PUT, [QUERY_DELETE] = FLOE_HASH_DELETE};
  const struct query_map *map = user;
  size_t from, to;
  thread_part(map, member, map->n, &from, &to);
  for (size_t i = from; i < to; i++)
    map->operations[i] = operations[map->list.kinds[i]];
  memset(map->answers + from, 99, to - from);
}

static_assert((int)FLOE_HASH_FOUND == QUERY_FOUND && (int)FLOE_HASH_NEW == QUERY_NEW &&
                  (int)FLOE_HASH_NONE == QUERY_NONE,
              "answers need no translation");

static void verify(void *user, unsigned member) {
  struct query_map *map = user;
  map->counts[member] = (struct query_counts){0};
  const struct query_answers answers = {map->answers, map->list.values, map->n};
  queries_verify(&map->list, &answers, map->present, member, pool_size(map->pool), &map->counts[member]);
}

static void add_counts(const struct query_counts *counts, struct query_counts *to) {
  to->found += counts->found;
  to->absent += counts->absent;
  to->fresh += counts->fresh;
  to->replaced += counts->replaced;
  to->deleted += counts->deleted;
  to->nothing += counts->nothing;
  to->wrong += counts->wrong;
}

/* Runs the queries in the lists. */
static floe_status run_lists(struct query_map *map, struct query_outcome *out) {
  size_t full;
  pool_run(map->pool, set_operations, map);
  const int64_t misses = misses_read(map->misses);
  const double start = clock_seconds();
  FLOE_TRY(
      floe_hash_run_mixed(map->table, map->operations, map->list.keys, map->list.values, map->n, map->answers, &full));
  *out = (struct query_outcome){.seconds = clock_seconds() - start,
                                .misses = misses < 0 ? -1 : (double)(misses_read(map->misses) - misses)};
  pool_run(map->pool, verify, map);
  for (unsigned i = 0; i < pool_size(map->pool); i++)
    add_counts(&map->counts[i], &out->counts);
  return FLOE_OK;
}

floe_status query_map_run(struct query_map *map, const struct queries *q, uint64_t first, size_t n,
                          struct query_outcome *out) {
  assert(first % QUERY_BLOCK == 0 && n % QUERY_BLOCK == 0);
  FLOE_TRY(allocate_lists(map, n));
  map->queries = q;
  map->first = first;
  map->n = n;
  pool_run(map->pool, make_queries, map);
  return run_lists(map, out);
}

floe_status query_map_restore(struct query_map *map, const struct queries *q, uint64_t end, struct query_outcome *out) {
  *out = (struct query_outcome){.misses = -1};
  map->n = queries_unpaired(q);
  if (map->n == 0)
    return FLOE_OK;
  FLOE_TRY(allocate_lists(map, map->n));
  queries_make_unpaired(q, end, &map->list);
  return run_lists(map, out);
}

/* ---- properties ------------------------------------------------------------------------------ */

uint64_t query_map_bytes(const struct query_map *map) { return floe_hash_information(map->table).bytes; }

floe_status query_map_traffic(struct query_map *map, floe_hash_traffic *out) {
  return floe_hash_traffic_of(map->table, out);
}

floe_status query_map_count(struct query_map *map, uint64_t *out) { return floe_hash_count(map->table, out); }
