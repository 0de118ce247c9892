/* A bench (floe_bench.h): a machine in use, the keys of a file, what the memory allows. */
#ifndef FLOE_BENCH_H
#define FLOE_BENCH_H

#include "bench/floe_bench.h"
#include "bench/keys.h"
#include "bench/machine.h"

#include <stdbool.h>

enum { BENCH_LEAST_BITS = 20, BENCH_FOOTPRINTS = 8 * 44 }; /* from 1 MiB on, in eighths of powers of two */

struct query_map;

struct floe_bench {
  floe_bench_options how;
  const struct bench_machine *machine;
  struct bench_engine *engine;
  floe_log *log;
  struct bench_keys keys;
  char title[512]; /* of the machine */
  struct bench_ceilings ceilings[BENCH_ON_HOST + 1][BENCH_FOOTPRINTS];
  bool (*interrupted)(void);
  struct query_map *map; /* of the last case of mixed queries; NULL: there was none */
};

/* floe_bench_run for a bench with any machine; `what` is complete (case_complete). */
floe_status bench_measure(floe_bench *bench, const floe_bench_case *what, floe_bench_result *out);

/* A copy of a user's case, of any struct_size. FLOE_ERROR_USAGE, told: there is no such permutation. */
floe_status bench_take_case(const floe_bench *bench, const floe_bench_case *what, floe_bench_case *out);

/* Puts the defaults where the case says nothing. */
void case_complete(const floe_bench *bench, floe_bench_case *what);

/* The median; sorts them. n > 0. */
double bench_median(double *values, unsigned n);

/* Of a footprint of `bytes`, cut to eighths of a power of two: no larger than the table, as smaller memory is no
   slower. Of 1 MiB at least. Those that are `wanted` (1 << enum bench_access) are there; each is measured once. */
floe_status bench_ceilings_for(floe_bench *bench, enum bench_place place, uint64_t bytes, unsigned wanted,
                               const struct bench_ceilings **out);

#endif
