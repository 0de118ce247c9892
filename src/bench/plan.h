/* What a case comes to: the table, the keys of each step, and the answers that are right. */
#ifndef FLOE_BENCH_PLAN_H
#define FLOE_BENCH_PLAN_H

#include "bench/bench.h"

#define PLAN_WHY 200

struct bench_plan {
  struct table_config config;
  struct table_shape shape;
  enum bench_place place;
  enum table_operation fill, operation; /* fill: what puts the keys of `before` */
  enum table_operation look;            /* what finds keys: FIND, or GET where that is all there is */
  bool can_fill, fills, looks;          /* there is such an operation; there are keys to put before */
  uint64_t slots;                       /* that fill factors count */
  uint64_t present, after;              /* numbers [0, present) are there before, [0, after) afterwards */
  struct bench_items filling, items;
  bench_value value;            /* that goes with `items` */
  uint64_t distinct;            /* of keys that are given */
  struct bench_items different; /* each of them once */
  unsigned repetitions;
  uint64_t seed;
};

/* Slots that fill factors count: all but those of iceberg's third level, which is for what has no place. */
uint64_t plan_slots(const struct table_shape *shape);

/* So many keys, of a kind that spreads evenly, must have a place in such a table: up to a fill factor of 0.9 (0.75 in
   cuckoo tables with two hash functions), far below what the schemes are made for. */
bool plan_must_fit(const struct bench_plan *plan, uint64_t keys);

/* The table that a case asks for; false: there is no such reduction. */
bool plan_config(const floe_bench_case *what, struct table_config *out);
enum table_operation plan_operation(floe_bench_operation operation);
/* Appends to `why` what the table, or the operation, would be there with: "; it is there with --value-bits=32 or 64".
 */
void plan_alternatives(const floe_bench *bench, const floe_bench_case *what, char *why);

/* False: it is refused, for the reason in `why` (PLAN_WHY bytes). `what` is complete. */
bool plan_make(const floe_bench *bench, const floe_bench_case *what, struct bench_plan *out, char *why);

#endif
