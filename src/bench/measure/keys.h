/* The keys of an order file (doc/order.md), in memory. */
#ifndef FLOE_BENCH_KEYS_H
#define FLOE_BENCH_KEYS_H

#include "core/status.h"

#include <stdbool.h>

struct bench_keys {
  uint64_t *keys;  /* [count]; NULL: none were loaded */
  uint64_t *first; /* bit i: first occurrence of the key */
  uint64_t count, distinct;
  unsigned key_bits;
  uint64_t *different; /* [distinct]: each key once, in the order of first appearance */
};

/* Errors as floe_bench_load, FLOE_ERROR_MEMORY; logged in `log` except for memory. */
floe_status bench_keys_load(const char *path, bool numbered, floe_log *log, struct bench_keys *out);
void bench_keys_free(struct bench_keys *keys);
/* Fills `different` from the other members; for callers that set those themselves. FLOE_ERROR_MEMORY. */
floe_status bench_keys_list(struct bench_keys *keys);
/* Number of different keys among the first `n`. */
uint64_t bench_keys_distinct(const struct bench_keys *keys, uint64_t n);

#endif
