/* A map of floe_tables.h under the queries of bench/queries.h: filled with the data set, asked, and each answer looked
   at. */
#ifndef FLOE_BENCH_QUERY_MAP_H
#define FLOE_BENCH_QUERY_MAP_H

#include "bench/floe_bench.h"
#include "bench/queries.h"
#include "core/status.h"

struct query_map;

/* FLOE_ERROR_USAGE: there is no such map, for the reason in why[size]. FLOE_ERROR_MEMORY. */
floe_status query_map_plan(const floe_bench_options *how, const floe_bench_mixed_case *what, size_t size, char *why);
/* The map of a case, with all pairs in it. FLOE_ERROR_MEMORY; others as floe_hash_create. `log` outlives it. */
floe_status query_map_create(const floe_bench_options *how, const floe_bench_mixed_case *what, floe_log *log,
                             struct query_map **out);
void query_map_free(struct query_map *map); /* NULL is allowed */
/* Whether it is that of this case too: they differ in queries alone. */
bool query_map_fits(const struct query_map *map, const floe_bench_mixed_case *what);

struct query_outcome {
  double seconds;
  double misses; /* of the caches; -1: unknown */
  struct query_counts counts;
};
/* The n queries from `first` on, both multiples of QUERY_BLOCK. */
floe_status query_map_ask(struct query_map *map, const struct queries *q, uint64_t first, size_t n,
                          struct query_outcome *out);
/* Brings back what is deleted after the queries up to `end`. */
floe_status query_map_restore(struct query_map *map, const struct queries *q, uint64_t end, struct query_outcome *out);

uint64_t query_map_bytes(const struct query_map *map);
floe_status query_map_traffic(struct query_map *map, floe_hash_traffic *out);
/* Keys in it. */
floe_status query_map_count(struct query_map *map, uint64_t *out);

#endif
