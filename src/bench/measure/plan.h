/* Plan of a case: the table, the keys of each step, and the expected answers. */
#ifndef FLOE_BENCH_PLAN_H
#define FLOE_BENCH_PLAN_H

#include "bench/measure/bench.h"

#define PLAN_WHY 200

struct bench_plan {
  struct table_config config;
  struct table_shape shape;
  enum bench_place place;
  enum table_operation fill, operation; /* fill: puts the keys of `before` */
  enum table_operation look;            /* finds keys: GET, or FIND for a set */
  bool can_fill, fills, looks;          /* such an operation exists; there are keys to put before */
  uint64_t slots;                       /* that fill factors refer to */
  uint64_t present, after;              /* numbers [0, present) are in the table before, [0, after) afterwards */
  struct bench_items filling, items;
  bench_value value;            /* value of `items` */
  uint64_t distinct;            /* number of different given keys */
  struct bench_items different; /* each of them once */
  unsigned repetitions;
  uint64_t seed;
};

/* Slots that fill factors refer to: all except iceberg's third level, which is for overflow. */
uint64_t plan_slots(const struct table_shape *shape);

/* Whether so many evenly spread keys must have a place in the table: up to a fill factor of 0.9 (0.75 in cuckoo
   tables with two hash functions), far below the schemes' design limits. */
bool plan_must_fit(const struct bench_plan *plan, uint64_t keys);

/* The table of a case; false: no such reduction. */
bool plan_config(const floe_bench_case *what, struct table_config *out);
enum table_operation plan_operation(floe_bench_operation operation);
bool plan_is_lookup(enum table_operation operation); /* FIND, GET, DELETE: puts nothing */
/* Appends to `why` the options that would make the table or the operation possible: "; available with
   --value-bits=32 or 64". */
void plan_alternatives(const floe_bench *bench, const floe_bench_case *what, char *why);

/* False: refused, for the reason in `why` (PLAN_WHY bytes). `what` is complete. */
bool plan_make(const floe_bench *bench, const floe_bench_case *what, struct bench_plan *out, char *why);

#endif
