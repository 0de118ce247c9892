/* The quotient by multiplication is exact for every p < 2^64 and every N >= 1. */
#include "tests/tables/table_suite.h"

#include "tables/kernel/quotient.h"

static void check_one(uint64_t divisor, uint64_t p) {
  struct quotient q = quotient_make(divisor);
  struct place place = quotient_split(q, p);
  if (place.address != p % divisor || place.remainder != p / divisor ||
      quotient_join(q, place.address, place.remainder) != p)
    ck_abort_msg("%llu in %llu buckets", (unsigned long long)p, (unsigned long long)divisor);
}

/* Random words, the ends of the range, and both sides of multiples of the divisor. */
static void check_divisor(uint64_t divisor, uint64_t *state) {
  for (uint64_t i = 0; i < 3; i++) {
    check_one(divisor, i);
    check_one(divisor, UINT64_MAX - i);
    check_one(divisor, (UINT64_C(1) << 63) - 1 + i);
  }
  for (int i = 0; i < 20; i++) {
    uint64_t p = splitmix64_next(state) >> (splitmix64_next(state) & 63);
    check_one(divisor, p);
    uint64_t multiple = p / divisor * divisor;
    check_one(divisor, multiple);
    check_one(divisor, multiple - 1);
    check_one(divisor, multiple + 1);
  }
}

START_TEST(small_divisors) {
  uint64_t state = 1;
  for (uint64_t n = 1; n <= 5000; n++)
    check_divisor(n, &state);
}
END_TEST

START_TEST(divisors_near_powers_of_two) {
  uint64_t state = 2;
  for (unsigned bit = 1; bit < 64; bit++)
    for (int d = -3; d <= 3; d++)
      if (bit > 2 || d >= 0)
        check_divisor((UINT64_C(1) << bit) + (uint64_t)d, &state);
  for (uint64_t d = 0; d < 5; d++)
    check_divisor(UINT64_MAX - d, &state);
}
END_TEST

START_TEST(random_divisors) {
  uint64_t state = 3;
  for (int i = 0; i < 20000; i++) {
    uint64_t n = splitmix64_next(&state) >> (splitmix64_next(&state) & 63);
    check_divisor(n ? n : 1, &state);
  }
}
END_TEST

int main(void) { return RUN_SUITE("quotient", small_divisors, divisors_near_powers_of_two, random_divisors); }
