/* The visited set in units of states: the flat kind, of one word, through the seam alone. */
#include "core/mem.h"
#include "engine/visited.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define STATES 5000
#define BITS 30

/* Different for different i below 2^BITS. */
static uint64_t state_of(uint64_t i) { return i * 0x9e3779b1u % (UINT64_C(1) << BITS); }

static struct visited *create(uint64_t slots) {
  const struct table_config config = {.scheme = "iceberg", .key_bits = BITS, .slots = slots};
  struct visited *set;
  ck_assert_int_eq(visited_flat_create(&config, &set), FLOE_OK);
  ck_assert_uint_ge(set->shape.slots, slots);
  ck_assert_uint_eq(set->words, 1);
  return set;
}

/* All of the first n states, each twice; returns how many found no place. */
static size_t put(struct visited *set, size_t n, enum visited_answer first, enum visited_answer second) {
  size_t refused = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t states[2] = {state_of(i), state_of(i)};
    uint8_t answers[2];
    const size_t missing = visited_find_or_put(set, states, 2, answers);
    refused += missing > 0;
    ck_assert_uint_eq(missing, (answers[0] == VISITED_NO_PLACE) + (answers[1] == VISITED_NO_PLACE));
    if (missing == 0) {
      ck_assert_uint_eq(answers[0], first);
      ck_assert_uint_eq(answers[1], second);
    }
  }
  return refused;
}

struct sum {
  uint64_t count, sum;
};

static void add(void *user, const uint64_t *states, size_t n) {
  struct sum *sum = user;
  for (size_t i = 0; i < n; i++)
    sum->sum += states[i];
  sum->count += n;
}

static struct sum sum_of(const struct visited *set, unsigned parts) {
  struct sum sum = {0};
  for (unsigned part = 0; part < parts; part++)
    visited_each(set, part, parts, add, &sum);
  return sum;
}

static void check_all_there(const struct visited *set) {
  struct sum wanted = {.count = STATES};
  for (size_t i = 0; i < STATES; i++)
    wanted.sum += state_of(i);
  for (unsigned parts = 1; parts < 8; parts += 3) {
    const struct sum found = sum_of(set, parts);
    ck_assert_uint_eq(found.count, wanted.count);
    ck_assert_uint_eq(found.sum, wanted.sum);
  }
}

START_TEST(test_answers) {
  struct visited *set = create(2 * STATES);
  ck_assert_uint_eq(put(set, STATES, VISITED_NEW, VISITED_KNOWN), 0);
  ck_assert_uint_eq(put(set, STATES, VISITED_KNOWN, VISITED_KNOWN), 0);
  check_all_there(set);
  visited_free(set);
}
END_TEST

/* By parts, as threads do it; the smaller set stays as it is. */
START_TEST(test_move) {
  struct visited *set = create(2 * STATES), *larger = create(5 * STATES);
  put(set, STATES, VISITED_NEW, VISITED_KNOWN);
  for (unsigned part = 0; part < 5; part++)
    ck_assert_uint_eq(visited_move(set, larger, part, 5), 0);
  check_all_there(set);
  check_all_there(larger);
  ck_assert_uint_eq(put(larger, STATES, VISITED_KNOWN, VISITED_KNOWN), 0);
  visited_free(set);
  visited_free(larger);
}
END_TEST

START_TEST(test_no_place) {
  struct visited *set = create(2 * STATES), *small = create(STATES / 4);
  put(set, STATES, VISITED_NEW, VISITED_KNOWN);
  const uint64_t left = visited_move(set, small, 0, 1);
  ck_assert_uint_gt(left, 0);
  ck_assert_uint_eq(sum_of(small, 1).count + left, STATES);
  check_all_there(set);
  ck_assert_uint_gt(put(small, STATES, VISITED_KNOWN, VISITED_KNOWN), 0); /* the others have no place */
  visited_free(set);
  visited_free(small);
}
END_TEST

/* The memory is all of it: a set whose memory is zeros is empty. */
START_TEST(test_memory) {
  struct visited *set = create(2 * STATES);
  put(set, STATES, VISITED_NEW, VISITED_KNOWN);
  memset(visited_memory(set), 0, set->shape.bytes);
  ck_assert_uint_eq(sum_of(set, 1).count, 0);
  ck_assert_uint_eq(put(set, STATES, VISITED_NEW, VISITED_KNOWN), 0);
  visited_free(set);
}
END_TEST

START_TEST(test_create_fails) {
  const struct table_config none = {.scheme = "linear", .key_bits = 33, .slot_bits = 32, .slots = 100};
  const struct table_config some = {.scheme = "iceberg", .key_bits = BITS, .slots = 100};
  struct visited *set = NULL;
  ck_assert_int_eq(visited_flat_create(&none, &set), FLOE_ERROR_USAGE);
  for (long n = 1;; n++) {
    mem_fail_after(n);
    const floe_status status = visited_flat_create(&some, &set);
    mem_fail_after(0);
    if (status == FLOE_OK)
      break;
    ck_assert_int_eq(status, FLOE_ERROR_MEMORY);
    ck_assert_ptr_null(set);
    ck_assert_uint_eq(mem_live(), 0);
  }
  visited_free(set);
  visited_free(NULL);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("visited");
  TCase *test = tcase_create("visited");
  tcase_add_test(test, test_answers);
  tcase_add_test(test, test_move);
  tcase_add_test(test, test_no_place);
  tcase_add_test(test, test_memory);
  tcase_add_test(test, test_create_fails);
  suite_add_tcase(suite, test);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed || mem_live() ? EXIT_FAILURE : EXIT_SUCCESS;
}
