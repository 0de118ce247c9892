/* Quotienting: a permuted key p is p = remainder * N + address. The address names the bucket; a slot stores the
   remainder (section 2.4 of the paper, which has N = 2^n only; here N is any number >= 1). */
#ifndef FLOE_TABLES_KERNEL_QUOTIENT_H
#define FLOE_TABLES_KERNEL_QUOTIENT_H

#include "tables/kernel/shim.h"

struct quotient {
  uint64_t divisor;    /* N */
  uint64_t reciprocal; /* floor((2^64 - 1) / N) */
};

struct place {
  uint64_t address, remainder;
};

/* Exact for every p < 2^64 without a division. Let v = floor((2^64 - 1) / N) = (2^64 - 1 - e) / N with 0 <= e < N.
   Then p * v / 2^64 = p / N - d with d = p * (1 + e) / (N * 2^64), and 0 <= d < 1 because p < 2^64 and 1 + e <= N.
   So floor(p * v / 2^64) is floor(p / N) or one less. The rest p - q * N is then below 2 N, does not exceed p (no
   overflow), and decides between the two. */
KERNEL_FN struct place quotient_split(struct quotient quotient, uint64_t p) {
  struct place place;
  place.remainder = multiply_high(p, quotient.reciprocal);
  place.address = p - place.remainder * quotient.divisor;
  if (place.address >= quotient.divisor) {
    place.address -= quotient.divisor;
    place.remainder++;
  }
  return place;
}

KERNEL_FN uint64_t quotient_join(struct quotient quotient, uint64_t address, uint64_t remainder) {
  return remainder * quotient.divisor + address;
}

KERNEL_FN struct quotient quotient_make(uint64_t divisor) {
  struct quotient quotient;
  quotient.divisor = divisor;
  quotient.reciprocal = UINT64_MAX / divisor;
  return quotient;
}

#endif
