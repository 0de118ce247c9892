/* Parts that the files which measure one case share. */
#ifndef FLOE_BENCH_MEASURE_H
#define FLOE_BENCH_MEASURE_H

#include "bench/measure/plan.h"

struct measurement {
  floe_bench *bench;
  struct bench_plan plan;
  struct bench_table *table;
  uint64_t most;            /* keys at once */
  uint64_t there;           /* expected number of keys in the table after the operation */
  uint64_t fresh;           /* the part of them that the operation put */
  double *rates;            /* [repetitions] */
  unsigned runs, full_runs; /* of the operation; runs in which keys found no place */
  uint64_t most_full;       /* greatest number of keys without a place in a run */
  struct {
    bool wanted;    /* collect them in the next runs of the operation */
    uint64_t *keys; /* [MOST_RETURNED]; NULL: none so far */
    uint64_t n;
  } returned; /* keys returned because they have no place */
  floe_bench_result *result;
};

#define MOST_RETURNED (UINT64_C(1) << 18) /* most keys that are collected */

/* Sets the verdict. The first WRONG verdict stays. */
void set_verdict(struct measurement *m, floe_bench_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether the measurement can end. */
bool measurement_ended(const struct measurement *m);
/* Verdict WRONG unless found == expected. */
void expect_equal(struct measurement *m, const char *what, uint64_t found, uint64_t wanted);

/* Runs the operation on all items, in parts that fit into memory. */
floe_status run_items(struct measurement *m, enum table_operation operation, const struct bench_items *items,
                      bench_value value, struct bench_outcome *out);

/* After the operation: checks that the table has exactly the expected keys (verify.c). */
floe_status verify_table(struct measurement *m);

#endif
