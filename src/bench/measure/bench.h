/* State of a bench (floe_bench.h): an open device, keys of a file, and measured limits of the memory. */
#ifndef FLOE_BENCH_BENCH_H
#define FLOE_BENCH_BENCH_H

#include "bench/device/device.h"
#include "bench/floe_bench.h"
#include "bench/measure/keys.h"

#include <stdbool.h>

enum { BENCH_LEAST_BITS = 20, BENCH_FOOTPRINTS = 8 * 44 }; /* from 1 MiB on, in eighths of powers of two */

struct query_map;

struct floe_bench {
  floe_bench_options how;
  const struct bench_device *device;
  struct bench_engine *engine;
  floe_log *log;
  struct bench_keys keys;
  char title[512]; /* of the device */
  struct bench_ceilings ceilings[BENCH_ON_HOST + 1][BENCH_FOOTPRINTS];
  bool (*interrupted)(void);
  struct query_map *map; /* of the last case of mixed queries; NULL: none */
};

/* floe_bench_run for a bench on any device; `what` is complete (case_complete). */
floe_status bench_measure(floe_bench *bench, const floe_bench_case *what, floe_bench_result *out);

/* Copies a user's case, of any struct_size. FLOE_ERROR_USAGE, logged: no such permutation. */
floe_status bench_copy_case(const floe_bench *bench, const floe_bench_case *what, floe_bench_case *out);

/* Sets defaults for options that the case leaves at zero. */
void case_complete(const floe_bench *bench, floe_bench_case *what);

/* The median of n > 0 values; sorts them. */
double bench_median(double *values, unsigned n);

/* Limits for a footprint of `bytes`, rounded down to eighths of a power of two: at most the table's size, as smaller
   memory is not slower; at least 1 MiB. `needed`: set of 1 << enum bench_access; *out has at least these. Each is
   measured once. */
floe_status bench_ceilings_for(floe_bench *bench, enum bench_place place, uint64_t bytes, unsigned needed,
                               const struct bench_ceilings **out);

#endif
