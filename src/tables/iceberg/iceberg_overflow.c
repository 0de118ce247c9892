#include "tables/iceberg/iceberg_overflow.h"

#include <assert.h>
#include <math.h>

enum { STEPS = 64, MOST_SECOND = 16 };

/* Probability that a bucket of so many slots is full if keys fall into it at random, `mean` of them on average. */
static double full_probability(unsigned slots, double mean) {
  double exactly = exp(-mean), below = 0;
  for (unsigned k = 0; k < slots; k++) {
    below += exactly;
    exactly *= mean / (k + 1);
  }
  return below < 1 ? 1 - below : 0;
}

/* at_least[k]: the part of the secondary buckets that hold k keys or more. `arrivals`: keys per bucket that reached
   level 2; each went to the less full of two buckets. */
static void put_second(double at_least[], unsigned slots, double arrivals) {
  double before = at_least[0];
  for (unsigned k = 1; k <= slots; k++) {
    double now = at_least[k];
    double after = now + arrivals * (before * before - now * now);
    at_least[k] = after < at_least[k - 1] ? after : at_least[k - 1];
    before = now;
  }
}

/* The large-number limit of the process, in steps of equally many keys: the part with a full primary bucket by the
   Poisson distribution, and the part of those with two full secondary buckets. */
double overflow_expected(const struct table_shape *shape, double keys) {
  const unsigned slots = shape->second_bucket_slots;
  const double step = keys / STEPS;
  assert(slots > 0 && slots <= MOST_SECOND && shape->buckets > 0 && shape->second_buckets > 0);
  double at_least[MOST_SECOND + 1] = {1}, third = 0;
  for (unsigned i = 0; i < STEPS; i++) {
    double mean = (i + 0.5) * step / (double)shape->buckets;
    double second = step * full_probability(shape->bucket_slots, mean);
    double full = at_least[slots];
    put_second(at_least, slots, second / (double)shape->second_buckets);
    third += second * (full * full + at_least[slots] * at_least[slots]) / 2;
  }
  return third;
}
