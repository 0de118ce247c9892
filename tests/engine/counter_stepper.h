/* A stepper without a model: N counters modulo K, whose state space has closed forms. */
#ifndef FLOE_TESTS_ENGINE_COUNTER_STEPPER_H
#define FLOE_TESTS_ENGINE_COUNTER_STEPPER_H

#include "engine/engine.h"

#define FAKE_NEVER UINT64_MAX
#define FAKE_SITE 7

/* Properties 0: invariant "the sum of the counters is not `bad_sum`", 1: reachable "it is
   `good_sum`", 2: deadlock, 3: errors (counter 0 cannot be raised where the sum is `fail_sum`). */
enum { FAKE_BAD, FAKE_GOOD, FAKE_DEADLOCK, FAKE_ERRORS, FAKE_PROPERTIES };

struct fake {
  struct stepper base;
  struct model model;
  struct layout layout;
  struct property properties[FAKE_PROPERTIES];
  struct variable counters; /* one array of n elements, as much of it as the engine reads */
  unsigned n, k, bits;
  bool wrap; /* false: a counter stays at k - 1 */
  uint64_t bad_sum, good_sum, fail_sum;
  unsigned pause; /* µs per block */
  uint64_t initial;
};

void fake_init(struct fake *fake, unsigned n, unsigned k);
uint64_t fake_sum(const struct fake *fake, uint64_t state);
uint64_t fake_least(const struct fake *fake, uint64_t sum); /* smallest packed state with that sum */

#endif
