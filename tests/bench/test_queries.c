/* Queries to compare maps (bench/queries/queries.h): their distribution against its closed form, their pairs of delete
   and put, and the detection of wrong answers. */
#include "bench/queries/queries.h"
#include "tests/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400000 };

struct lists {
  uint64_t numbers[MOST], keys[MOST], values[MOST];
  uint8_t kinds[MOST];
};
static struct lists made, other;

static struct query_list list_of(struct lists *lists, size_t at) {
  return (struct query_list){lists->numbers + at, lists->keys + at, lists->values + at, lists->kinds + at};
}

static struct queries queries(uint64_t pairs, double hot, double updates) {
  struct queries q;
  ck_assert(queries_init(pairs, hot, updates, 7, &q));
  return q;
}

static void make_lists(const struct queries *q, uint64_t first, size_t n, struct lists *out) {
  const struct query_list list = list_of(out, 0);
  queries_make(q, first, n, &list);
}

/* Number of successes of n with probability p each: within five standard deviations. */
static void assert_likely(double count, double n, double p) {
  ck_assert_msg(fabs(count - n * p) <= 5 * sqrt(n * p * (1 - p)), "%g of %g, not about %g", count, n, n * p);
}

/* ---- which numbers --------------------------------------------------------------------------- */

START_TEST(there_are_no_other_queries) {
  struct queries q;
  ck_assert(!queries_init(0, 1, 0, 1, &q));
  ck_assert(!queries_init(100, 0, 0, 1, &q));
  ck_assert(!queries_init(100, 0.6, 0, 1, &q));
  ck_assert(!queries_init(100, 1.1, 0, 1, &q));
  ck_assert(!queries_init(100, 1, 0.201, 1, &q));
  ck_assert(!queries_init(100, 1, 1.02, 1, &q));
  ck_assert(!queries_init(100, 1, -0.02, 1, &q));
  ck_assert(!queries_init(100, NAN, 0, 1, &q));
  ck_assert(!queries_init(100, 1, NAN, 1, &q));
  ck_assert(queries_init(100, QUERY_HOTTEST, 1, 1, &q));
  ck_assert_uint_eq(q.changes, 50);
}
END_TEST

START_TEST(even_draws_are_even) {
  enum { CELLS = 256 };
  const struct queries q = queries(100000, 1, 0);
  double counts[CELLS] = {0}, sum = 0;
  make_lists(&q, 0, MOST, &made);
  for (size_t i = 0; i < MOST; i++) {
    ck_assert_uint_lt(made.numbers[i], q.pairs);
    counts[made.numbers[i] * CELLS / q.pairs]++;
  }
  for (unsigned i = 0; i < CELLS; i++)
    sum += pow(counts[i] - (double)MOST / CELLS, 2) / ((double)MOST / CELLS);
  ck_assert_msg(fabs(sum - (CELLS - 1)) < 5 * sqrt(2.0 * (CELLS - 1)), "chi square %g", sum);
  ck_assert(queries_share(&q, 0.2) == 0.2);
}
END_TEST

/* The part of the draws in the middle `part` of the numbers. */
static double in_the_middle(const struct queries *q, double part) {
  double count = 0;
  for (size_t i = 0; i < MOST; i++)
    count += fabs(((double)made.numbers[i] + 0.5) / (double)q->pairs - 0.5) < part / 2;
  return count;
}

static const double hot_parts[] = {0.001, 0.01, 0.1, 0.2, 0.5, QUERY_HOTTEST};

START_TEST(draws_fall_into_the_middle_as_the_closed_form_has_it) {
  static const double parts[] = {0.1, 0.3, 1, 2, 5}; /* as multiples of the hot part */
  const struct queries q = queries(10000000, hot_parts[_i], 0);
  make_lists(&q, 0, MOST, &made);
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
    const double part = fmin(1, parts[i] * q.hot), share = queries_share(&q, part);
    assert_likely(in_the_middle(&q, part), MOST, share);
  }
  double left = 0;
  for (size_t i = 0; i < MOST; i++)
    left += made.numbers[i] < q.pairs / 2;
  assert_likely(left, MOST, 0.5);
}
END_TEST

/* At the edge of the hot part a number is drawn as often as in a uniform distribution; inside more often, outside
   less. */
START_TEST(so_many_keys_are_hot) {
  const struct queries q = queries(1000, hot_parts[_i], 0);
  const double hot = q.hot, step = hot * 1e-4;
  ck_assert(fabs((queries_share(&q, hot + step) - queries_share(&q, hot - step)) / (2 * step) - 1) < 1e-3);
  ck_assert(queries_share(&q, hot / 2 + step) - queries_share(&q, hot / 2) > step);
  ck_assert(queries_share(&q, hot * 1.1 + step) - queries_share(&q, hot * 1.1) < step);
}
END_TEST

START_TEST(a_fifth_of_the_keys_has_96_of_100_queries) {
  const struct queries q = queries(1000, 0.2, 0);
  ck_assert(fabs(q.deviation - 0.0488) < 5e-5);
  ck_assert(fabs(queries_share(&q, 0.2) - 0.95965) < 5e-6);
}
END_TEST

/* Adjacent draws are independent. */
START_TEST(draws_are_independent) {
  const struct queries q = queries(10000000, hot_parts[_i], 0);
  double sum = 0;
  make_lists(&q, 0, MOST, &made);
  for (size_t lag = 1; lag <= 300; lag += lag < 4 ? 1 : 31) {
    double same = 0;
    for (size_t i = lag; i < MOST; i++)
      same += (made.numbers[i] < q.pairs / 2) == (made.numbers[i - lag] < q.pairs / 2);
    assert_likely(same, MOST - (double)lag, 0.5);
    sum += same;
  }
  ck_assert(sum > 0);
}
END_TEST

/* ---- the stream ------------------------------------------------------------------------------ */

START_TEST(segments_of_a_stream_are_the_stream) {
  const struct queries q = queries(1000, 0.2, 0.4);
  const struct query_list second = list_of(&other, 500);
  make_lists(&q, 200, 2000, &made);
  make_lists(&q, 200, 500, &other);
  queries_make(&q, 700, 1500, &second);
  ck_assert_mem_eq(made.numbers, other.numbers, 2000 * sizeof *made.numbers);
  ck_assert_mem_eq(made.keys, other.keys, 2000 * sizeof *made.keys);
  ck_assert_mem_eq(made.values, other.values, 2000 * sizeof *made.values);
  ck_assert_mem_eq(made.kinds, other.kinds, 2000);
  for (size_t i = 0; i < 2000; i++)
    ck_assert_uint_eq(made.keys[i], query_key(made.numbers[i]));
}
END_TEST

START_TEST(another_seed_gives_other_queries) {
  struct queries q = queries(1000000, 0.2, 0.4);
  size_t same = 0;
  make_lists(&q, 0, 2000, &made);
  q.seed++;
  make_lists(&q, 0, 2000, &other);
  for (size_t i = 0; i < 2000; i++)
    same += made.numbers[i] == other.numbers[i];
  ck_assert_uint_lt(same, 100);
}
END_TEST

START_TEST(every_block_has_its_share_of_each_kind) {
  const struct queries q = queries(1000, 0.2, 0.4);
  size_t at_begin = 0;
  make_lists(&q, 0, MOST, &made);
  for (size_t block = 0; block < MOST; block += QUERY_BLOCK) {
    unsigned counts[QUERY_KINDS] = {0};
    for (size_t i = block; i < block + QUERY_BLOCK; i++)
      counts[made.kinds[i]]++;
    ck_assert_uint_eq(counts[QUERY_FIND], 60);
    ck_assert_uint_eq(counts[QUERY_PUT], 20);
    ck_assert_uint_eq(counts[QUERY_DELETE], 20);
    at_begin += made.kinds[block] == QUERY_PUT;
  }
  assert_likely((double)at_begin, (double)MOST / QUERY_BLOCK, 0.2);
}
END_TEST

/* Numbers of a kind in the order of the stream, from `first` on. */
static size_t of_kind(enum query_kind kind, size_t first, size_t n, uint64_t *out) {
  size_t count = 0;
  for (size_t i = first; i < first + n; i++)
    if (made.kinds[i] == kind)
      out[count++] = made.numbers[i];
  return count;
}

START_TEST(puts_bring_back_what_was_deleted) {
  enum { LAG = QUERY_LAG * QUERY_BLOCK, N = 1000 };
  const struct queries q = queries(100000, _i ? 0.2 : 1, 0.8);
  uint64_t put[N], deleted[N];
  make_lists(&q, 0, LAG + 5 * N, &made);
  const size_t n = of_kind(QUERY_DELETE, 2 * N, N, deleted);
  ck_assert_uint_eq(n, 400);
  ck_assert_uint_eq(of_kind(QUERY_PUT, LAG + 2 * N, N, put), n);
  ck_assert_mem_eq(put, deleted, n * sizeof *put);
}
END_TEST

START_TEST(keys_and_values_are_all_different) {
  for (uint64_t i = 0; i < 1000; i++) {
    ck_assert(query_key(i) != 0 && query_key(i) != UINT64_MAX);
    for (uint64_t j = 0; j < i; j++)
      ck_assert(query_key(i) != query_key(j));
    for (unsigned version = 0; version < 16; version++)
      ck_assert((query_value(i, version) == query_value(0, 0)) == (i == 0 && version == 0));
  }
}
END_TEST

/* ---- what is right --------------------------------------------------------------------------- */

enum { PAIRS = 3000 };
static uint64_t map[PAIRS]; /* the value; 0: absent */
static uint8_t answers[MOST], versions[PAIRS];
static uint64_t found[MOST];

static void fill_map(void) {
  for (uint64_t i = 0; i < PAIRS; i++)
    map[i] = query_value(i, 0);
  memset(versions, 0, sizeof versions);
}

/* A correct map. */
static void run_map(size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint64_t *at = &map[made.numbers[i]];
    const bool there = *at != 0;
    answers[i] = there ? QUERY_FOUND : made.kinds[i] == QUERY_PUT ? QUERY_NEW : QUERY_NONE;
    found[i] = made.kinds[i] == QUERY_FIND ? *at : 0;
    *at = made.kinds[i] == QUERY_PUT ? made.values[i] : made.kinds[i] == QUERY_DELETE ? 0 : *at;
  }
}

static struct query_counts verify(size_t n, unsigned parts) {
  struct query_counts counts = {0};
  const struct query_list list = list_of(&made, 0);
  const struct query_answers all = {answers, found, n};
  for (unsigned part = 0; part < parts; part++)
    queries_verify(&list, &all, versions, part, parts, &counts);
  return counts;
}

START_TEST(right_answers_are_right) {
  const struct queries q = queries(PAIRS, 0.2, 0.8);
  const unsigned parts = _i ? 5 : 1;
  fill_map();
  for (uint64_t at = 0; at < 3 * MOST; at += MOST) {
    make_lists(&q, at, MOST, &made);
    run_map(MOST);
    const struct query_counts counts = verify(MOST, parts);
    ck_assert_uint_eq(counts.wrong, 0);
    ck_assert_uint_eq(counts.found + counts.absent, MOST / 5);
    ck_assert_uint_eq(counts.fresh + counts.replaced, MOST / 5 * 2);
    ck_assert_uint_eq(counts.deleted + counts.nothing, MOST / 5 * 2);
    ck_assert(counts.found && counts.absent && counts.fresh && counts.replaced && counts.deleted && counts.nothing);
  }
}
END_TEST

START_TEST(after_the_unpaired_puts_everything_is_there) {
  const struct queries q = queries(PAIRS, 0.2, 0.8);
  const struct query_list list = list_of(&made, 0);
  fill_map();
  make_lists(&q, 0, MOST, &made);
  run_map(MOST);
  ck_assert_uint_eq(verify(MOST, 1).wrong, 0);
  const size_t n = queries_unpaired(&q);
  ck_assert_uint_eq(n, QUERY_LAG * 40);
  queries_make_unpaired(&q, MOST, &list);
  run_map(n);
  ck_assert_uint_eq(verify(n, 1).wrong, 0);
  for (unsigned i = 0; i < PAIRS; i++)
    ck_assert(map[i] != 0 && versions[i] != QUERY_ABSENT);
}
END_TEST

/* Each kind of wrong answer, at a query of that kind. */
START_TEST(wrong_answers_are_found) {
  enum { N = 60000 }; /* the lag and more */
  const struct queries q = queries(PAIRS, 0.2, 0.8);
  static const uint8_t last_answer[] = {QUERY_FOUND, QUERY_NEW, QUERY_NONE, 99};
  fill_map();
  make_lists(&q, 0, N, &made);
  run_map(N);
  for (size_t i = 55000; i < 55100; i++)
    for (unsigned a = 0; a < sizeof last_answer; a++) {
      const uint8_t right = answers[i];
      answers[i] = last_answer[a];
      memset(versions, 0, sizeof versions);
      ck_assert_uint_eq(verify(N, 1).wrong, answers[i] != right);
      answers[i] = right;
    }
}
END_TEST

START_TEST(wrong_values_are_found) {
  enum { N = 30000 };
  const struct queries q = queries(PAIRS, 0.2, 0.8);
  fill_map();
  make_lists(&q, 0, N, &made);
  run_map(N);
  size_t at = N - 1;
  while (made.kinds[at] != QUERY_FIND || answers[at] != QUERY_FOUND)
    at--;
  found[at] = query_value(made.numbers[at], 0) == found[at] ? query_value(made.numbers[at], 1)
                                                            : query_value(made.numbers[at], 0);
  ck_assert_uint_eq(verify(N, 1).wrong, 1);
}
END_TEST

int main(void) {
  TCase *numbers = tcase_create("numbers"), *stream = tcase_create("stream"), *right = tcase_create("right");
  const int parts = sizeof hot_parts / sizeof *hot_parts;
  add_tests(numbers, there_are_no_other_queries, even_draws_are_even);
  tcase_add_loop_test(numbers, draws_fall_into_the_middle_as_the_closed_form_has_it, 0, parts);
  tcase_add_loop_test(numbers, so_many_keys_are_hot, 0, parts);
  tcase_add_test(numbers, a_fifth_of_the_keys_has_96_of_100_queries);
  tcase_add_loop_test(numbers, draws_are_independent, 0, parts);
  add_tests(stream, segments_of_a_stream_are_the_stream, another_seed_gives_other_queries,
            every_block_has_its_share_of_each_kind);
  tcase_add_loop_test(stream, puts_bring_back_what_was_deleted, 0, 2);
  tcase_add_test(stream, keys_and_values_are_all_different);
  tcase_add_loop_test(right, right_answers_are_right, 0, 2);
  add_tests(right, after_the_unpaired_puts_everything_is_there, wrong_answers_are_found, wrong_values_are_found);
  return run_suite("queries", CK_FORK_GETENV, numbers, stream, right);
}
