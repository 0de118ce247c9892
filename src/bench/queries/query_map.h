/* A map of floe_tables.h under the queries of bench/queries/queries.h: fills it with the data set, runs queries, and
   verifies each answer. */
#ifndef FLOE_BENCH_QUERY_MAP_H
#define FLOE_BENCH_QUERY_MAP_H

#include "bench/floe_bench.h"
#include "bench/queries/queries.h"
#include "core/status.h"

struct query_map;

/* FLOE_ERROR_USAGE: no such map, for the reason in why[size]. FLOE_ERROR_MEMORY. */
floe_status query_map_plan(const floe_bench_options *how, const floe_bench_mixed_case *what, size_t size, char *why);
/* The map of a case, filled with all pairs. FLOE_ERROR_MEMORY; others as floe_hash_create. `log` must outlive it. */
floe_status query_map_create(const floe_bench_options *how, const floe_bench_mixed_case *what, floe_log *log,
                             struct query_map **out);
void query_map_free(struct query_map *map); /* NULL is allowed */
/* Whether the map fits this case too: the cases differ in queries only. */
bool query_map_fits(const struct query_map *map, const floe_bench_mixed_case *what);

struct query_outcome {
  double seconds;
  double misses; /* cache misses; -1: unknown */
  struct query_counts counts;
};
/* Runs the n queries from `first` on, both multiples of QUERY_BLOCK. */
floe_status query_map_run(struct query_map *map, const struct queries *q, uint64_t first, size_t n,
                          struct query_outcome *out);
/* Restores the keys deleted before `end`. */
floe_status query_map_restore(struct query_map *map, const struct queries *q, uint64_t end, struct query_outcome *out);

uint64_t query_map_bytes(const struct query_map *map);
floe_status query_map_traffic(struct query_map *map, floe_hash_traffic *out);
/* Number of keys. */
floe_status query_map_count(struct query_map *map, uint64_t *out);

#endif
