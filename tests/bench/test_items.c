/* The keys of measurements (bench/device/items.h). */
#include "bench/device/items.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

static void count_numbers(const struct bench_items *items, unsigned counts[MOST]) {
  struct item_maker maker;
  ck_assert_int_eq(item_maker_init(items, &maker), FLOE_OK);
  for (uint64_t i = 0; i < items->n; i++) {
    uint64_t number = item_number(&maker, i);
    ck_assert_uint_lt(number, MOST);
    counts[number]++;
    ck_assert(items->key_bits == 64 || item_key(&maker, i) >> items->key_bits == 0);
  }
}

static void assert_counts(const unsigned counts[MOST], uint64_t from, uint64_t to, unsigned least, unsigned most) {
  for (uint64_t i = from; i < to; i++)
    ck_assert_msg(counts[i] >= least && counts[i] <= most, "number %llu comes %u times", (unsigned long long)i,
                  counts[i]);
}

/* Each number of both kinds as often as any other. */
START_TEST(numbers_are_spread_evenly) {
  unsigned counts[MOST] = {0};
  struct bench_items items = {.n = 1000,
                              .key_bits = 20,
                              .first = 100,
                              .count = 300,
                              .others = 400,
                              .other_first = 2000,
                              .other_count = 1000,
                              .seed = 5};
  count_numbers(&items, counts);
  assert_counts(counts, 0, 100, 0, 0);
  assert_counts(counts, 100, 400, 2, 2);
  assert_counts(counts, 400, 2000, 0, 0);
  assert_counts(counts, 2000, 3000, 0, 1);
  assert_counts(counts, 3000, MOST, 0, 0);
}
END_TEST

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* All numbers of a width map to all keys of it. */
START_TEST(keys_are_a_bijection_of_numbers) {
  uint64_t keys[1024];
  for (unsigned bits = 1; bits <= 10; bits++) {
    struct item_maker maker;
    uint64_t n = UINT64_C(1) << bits;
    struct bench_items items = {.n = n, .key_bits = bits, .count = n, .seed = bits};
    ck_assert_int_eq(item_maker_init(&items, &maker), FLOE_OK);
    for (uint64_t i = 0; i < n; i++)
      keys[i] = item_key(&maker, i);
    qsort(keys, n, sizeof *keys, by_value);
    for (uint64_t i = 0; i < n; i++)
      ck_assert_uint_eq(keys[i], i);
  }
}
END_TEST

/* The parts together have the numbers of the whole, exactly for the first kind. */
START_TEST(parts_make_up_the_whole) {
  for (unsigned parts = 1; parts <= 7; parts++) {
    unsigned counts[MOST] = {0};
    uint64_t n = 0;
    struct bench_items items = {
        .n = 1500, .key_bits = 30, .first = 10, .count = 1000, .others = 500, .other_first = 3000, .other_count = 500};
    for (unsigned i = 0; i < parts; i++) {
      struct bench_items part = items_part(&items, i, parts);
      n += part.n;
      count_numbers(&part, counts);
    }
    ck_assert_uint_eq(n, items.n);
    assert_counts(counts, 10, 1010, 1, 1);
    assert_counts(counts, 3000, 3500, 1, 1);
  }
}
END_TEST

/* Number k with probability about k^-1: the first of 1000 has ln 2 / ln 1001 of all, the first ten ln 11 / ln 1001. */
START_TEST(drawn_numbers_follow_zipf) {
  static unsigned counts[MOST];
  struct bench_items items = {.n = 100000, .key_bits = 20, .count = 1000, .zipf = 1, .seed = 3};
  count_numbers(&items, counts);
  unsigned ten = 0;
  for (unsigned i = 0; i < 10; i++)
    ten += counts[i];
  ck_assert_uint_gt(counts[0], 9600);
  ck_assert_uint_lt(counts[0], 10500);
  ck_assert_uint_gt(ten, 34000);
  ck_assert_uint_lt(ten, 35500);
  assert_counts(counts, 1000, MOST, 0, 0);
}
END_TEST

int main(void) {
  return run_tests("items", CK_FORK_GETENV, numbers_are_spread_evenly, keys_are_a_bijection_of_numbers,
                   parts_make_up_the_whole, drawn_numbers_follow_zipf);
}
