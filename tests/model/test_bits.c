/* Values and interval bounds of bitwise operators, compared with all values of small intervals and samples of large
   ones. */
#include "model/bit_intervals.h"
#include "tests/suite.h"

#include <stdlib.h>

static const enum expr_op ops[] = {EXPR_BITAND, EXPR_BITXOR, EXPR_BITOR};
#define OPS (sizeof ops / sizeof *ops)

/* Interval starts around 0, around powers of two, and at the ends of 64 bits. */
static const int64_t starts[] = {
    -9, -4, -1, 0, 3, 6, 30, -34, 1000, INT64_MIN, INT64_MAX - 8, INT64_MAX / 2 - 3, INT64_MIN / 2 - 4};
#define STARTS (sizeof starts / sizeof *starts)

static struct bits_interval brute_force(enum expr_op op, struct bits_interval a, struct bits_interval b) {
  struct bits_interval all = {INT64_MAX, INT64_MIN};
  for (int64_t x = a.lo;; x++) {
    for (int64_t y = b.lo;; y++) {
      const int64_t value = bits_value(op, x, y);
      all.lo = value < all.lo ? value : all.lo;
      all.hi = value > all.hi ? value : all.hi;
      if (y == b.hi)
        break;
    }
    if (x == a.hi)
      break;
  }
  return all;
}

static void compare(enum expr_op op, struct bits_interval a, struct bits_interval b) {
  const struct bits_interval found = bits_hull(op, a, b), right = brute_force(op, a, b);
  ck_assert_msg(found.lo == right.lo && found.hi == right.hi,
                "%d of %lld..%lld and %lld..%lld: %lld..%lld, not %lld..%lld", (int)op, (long long)a.lo,
                (long long)a.hi, (long long)b.lo, (long long)b.hi, (long long)found.lo, (long long)found.hi,
                (long long)right.lo, (long long)right.hi);
}

START_TEST(bounds_are_exact) {
  for (size_t i = 0; i < STARTS; i++)
    for (size_t k = 0; k < STARTS; k++)
      for (int64_t of_a = 0; of_a < 9; of_a += 1 + (int64_t)k % 3)
        for (int64_t of_b = 0; of_b < 9; of_b++)
          for (size_t op = 0; op < OPS; op++)
            compare(ops[op], (struct bits_interval){starts[i], starts[i] + of_a},
                    (struct bits_interval){starts[k], starts[k] + of_b});
}
END_TEST

START_TEST(bounds_of_large_intervals) {
  const struct bits_interval all = {INT64_MIN, INT64_MAX}, byte = {0, 255}, int128 = {-5, (int64_t)1 << 40};
  for (size_t op = 0; op < OPS; op++) {
    const struct bits_interval hull = bits_hull(ops[op], all, all);
    ck_assert_int_eq(hull.lo, INT64_MIN);
    ck_assert_int_eq(hull.hi, INT64_MAX);
  }
  ck_assert_int_eq(bits_hull(EXPR_BITAND, all, byte).lo, 0);
  ck_assert_int_eq(bits_hull(EXPR_BITAND, all, byte).hi, 255);
  ck_assert_int_eq(bits_hull(EXPR_BITOR, int128, byte).lo, -5);
  ck_assert_int_eq(bits_hull(EXPR_BITOR, int128, byte).hi, ((int64_t)1 << 40) + 255);
  ck_assert_int_eq(bits_hull(EXPR_BITXOR, int128, byte).lo, -256);
}
END_TEST

START_TEST(values) {
  ck_assert_int_eq(bits_value(EXPR_SHR, -7, 1), -4);
  ck_assert_int_eq(bits_value(EXPR_SHR, INT64_MIN, 63), -1);
  ck_assert_int_eq(bits_value(EXPR_SHR, 7, 63), 0);
  ck_assert_int_eq(bits_value(EXPR_SHL, -7, 3), -56);
  ck_assert_int_eq(bits_value(EXPR_SHL, -1, 63), INT64_MIN);
}
END_TEST

int main(void) { return run_tests("bits", CK_NOFORK, bounds_are_exact, bounds_of_large_intervals, values); }
