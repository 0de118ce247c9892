/* What the files that measure one case share. */
#ifndef FLOE_BENCH_MEASURE_H
#define FLOE_BENCH_MEASURE_H

#include "bench/plan.h"

struct measurement {
  floe_bench *bench;
  struct bench_plan plan;
  struct bench_table *table;
  uint64_t most;            /* keys at once */
  uint64_t there;           /* keys that are to be in the table after the operation */
  uint64_t fresh;           /* of them, put by it */
  double *rates;            /* [repetitions] */
  unsigned runs, full_runs; /* of the operation; those in which keys found no place */
  uint64_t most_full;       /* keys without a place in one of them */
  struct {
    bool wanted;    /* of the next runs of the operation */
    uint64_t *keys; /* [MOST_RETURNED]; NULL: none so far */
    uint64_t n;
  } returned; /* keys that came back, as they have no place */
  floe_bench_result *result;
};

#define MOST_RETURNED (UINT64_C(1) << 18) /* so many of them are looked at */

/* The first cause of a verdict that a table is wrong stays. */
void decide(struct measurement *m, floe_bench_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* There is nothing more to find out. */
bool decided(const struct measurement *m);
/* Else the table is wrong. */
void expect(struct measurement *m, const char *what, uint64_t found, uint64_t wanted);

/* The operation on all items, as many at once as there is room for. */
floe_status run_items(struct measurement *m, enum table_operation operation, const struct bench_items *items,
                      bench_value value, struct bench_outcome *out);

/* After the operation: is all in the table that is to be there, and nothing else? (verify.c) */
floe_status verify_table(struct measurement *m);

#endif
