/* The visited set through its interface: the flat kind, with states of one word. */
#include "core/mem.h"
#include "engine/visited/visited.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

#define STATES 5000
#define BITS 30

/* Different for different i below 2^BITS. */
static uint64_t state_of(uint64_t i) { return i * 0x9e3779b1u % (UINT64_C(1) << BITS); }

static struct visited *create_of(const char *scheme, uint64_t slots) {
  const struct table_config config = {.scheme = scheme, .key_bits = BITS, .slots = slots};
  struct visited *set;
  ck_assert_int_eq(visited_flat_create(&config, &set), FLOE_OK);
  ck_assert_uint_ge(set->shape.slots, slots);
  ck_assert_uint_eq(set->words, 1);
  return set;
}

static struct visited *create(uint64_t slots) { return create_of("iceberg", slots); }

/* Inserts the first n states, each twice; returns how many were refused. */
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

/* By parts, as threads do it; the smaller set is unchanged. */
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

/* Between any two schemes, by parts; the first set is unchanged. */
static void move_between(const char *from, const char *to) {
  struct visited *set = create_of(from, 2 * STATES), *other = create_of(to, 2 * STATES);
  put(set, STATES, VISITED_NEW, VISITED_KNOWN);
  put(other, 100, VISITED_NEW, VISITED_KNOWN);
  for (unsigned part = 0; part < 5; part++)
    ck_assert_uint_eq(visited_move(set, other, part, 5), 0);
  check_all_there(set);
  check_all_there(other);
  ck_assert_uint_eq(put(other, STATES, VISITED_KNOWN, VISITED_KNOWN), 0);
  visited_free(set);
  visited_free(other);
}

START_TEST(test_move_to_another_scheme) {
  static const char *const schemes[] = {"iceberg", "linear", "bitmap"};
  for (unsigned i = 0; i < 9; i++)
    if (i / 3 != i % 3)
      move_between(schemes[i / 3], schemes[i % 3]);
}
END_TEST

/* Keys refused by a smaller table of another scheme are counted. */
START_TEST(test_no_place_elsewhere) {
  struct visited *set = create_of("bitmap", 1), *small = create(STATES / 4);
  put(set, STATES, VISITED_NEW, VISITED_KNOWN);
  const uint64_t left = visited_move(set, small, 0, 1);
  ck_assert_uint_gt(left, 0);
  ck_assert_uint_eq(sum_of(small, 1).count + left, STATES);
  check_all_there(set);
  visited_free(set);
  visited_free(small);
}
END_TEST

START_TEST(test_no_place) {
  struct visited *set = create(2 * STATES), *small = create(STATES / 4);
  put(set, STATES, VISITED_NEW, VISITED_KNOWN);
  const uint64_t left = visited_move(set, small, 0, 1);
  ck_assert_uint_gt(left, 0);
  ck_assert_uint_eq(sum_of(small, 1).count + left, STATES);
  check_all_there(set);
  ck_assert_uint_gt(put(small, STATES, VISITED_KNOWN, VISITED_KNOWN), 0); /* the others are refused */
  visited_free(set);
  visited_free(small);
}
END_TEST

/* The memory is the whole set: a set of zeros is empty. */
START_TEST(test_memory) {
  struct visited *set = create(2 * STATES);
  put(set, STATES, VISITED_NEW, VISITED_KNOWN);
  memset(visited_memory(set), 0, set->shape.bytes);
  ck_assert_uint_eq(sum_of(set, 1).count, 0);
  ck_assert_uint_eq(put(set, STATES, VISITED_NEW, VISITED_KNOWN), 0);
  visited_free(set);
}
END_TEST

/* ---- numbers ------------------------------------------------------------------------------------- */

/* Inserts all states, several at a time; each gets a unique number, by which it is found. */
static void number_all(struct visited *set, enum visited_answer wanted, uint64_t numbers[STATES]) {
  enum { AT_ONCE = 50 };
  bool *taken = calloc(set->shape.slots, sizeof *taken);
  for (size_t at = 0; at < STATES; at += AT_ONCE) {
    uint64_t states[AT_ONCE], state;
    uint8_t answers[AT_ONCE];
    for (size_t i = 0; i < AT_ONCE; i++)
      states[i] = state_of(at + i);
    ck_assert_uint_eq(visited_find_or_put_numbered(set, states, AT_ONCE, answers, &numbers[at]), 0);
    for (size_t i = 0; i < AT_ONCE; i++) {
      ck_assert_uint_eq(answers[i], wanted);
      ck_assert_uint_lt(numbers[at + i], set->shape.slots);
      ck_assert(!taken[numbers[at + i]]);
      taken[numbers[at + i]] = true;
      visited_state_of(set, numbers[at + i], &state);
      ck_assert_uint_eq(state, states[i]);
    }
  }
  free(taken);
}

static void has_numbers(struct visited *set, const uint64_t numbers[STATES]) {
  uint64_t state, again[STATES];
  for (size_t i = 0; i < STATES; i++) {
    visited_state_of(set, numbers[i], &state);
    ck_assert_uint_eq(state, state_of(i));
  }
  number_all(set, VISITED_KNOWN, again);
  ck_assert_mem_eq(again, numbers, sizeof again);
}

/* Inserting other states, with and without numbers, does not change them. */
static void put_others(struct visited *set, const uint64_t numbers[STATES]) {
  for (size_t i = STATES; i < 2 * STATES; i++) {
    uint64_t state = state_of(i), number;
    uint8_t answer;
    if (i & 1)
      visited_find_or_put(set, &state, 1, &answer);
    else
      visited_find_or_put_numbered(set, &state, 1, &answer, &number);
    ck_assert_uint_eq(answer, VISITED_NEW);
  }
  has_numbers(set, numbers);
}

/* In the other set the states have its numbers; in the first one their old ones. */
static void move_numbered(const char *scheme, struct visited *set, const uint64_t numbers[STATES]) {
  struct visited *larger = create_of(scheme, 5 * STATES);
  uint64_t there[STATES];
  for (unsigned part = 0; part < 3; part++)
    ck_assert_uint_eq(visited_move(set, larger, part, 3), 0);
  number_all(larger, VISITED_KNOWN, there);
  ck_assert_mem_ne(there, numbers, sizeof there);
  put_others(larger, there);
  has_numbers(set, numbers);
  visited_free(larger);
}

static void refuse_numbered(const char *scheme) {
  struct visited *set = create_of(scheme, 100);
  size_t refused = 0;
  for (size_t i = 0; i < STATES; i++) {
    uint64_t state = state_of(i), number, found;
    uint8_t answer;
    const size_t full = visited_find_or_put_numbered(set, &state, 1, &answer, &number);
    ck_assert_uint_eq(full, answer == VISITED_NO_PLACE);
    ck_assert_int_eq(answer == VISITED_NO_PLACE, number == UINT64_MAX);
    refused += full;
    if (full)
      continue;
    visited_state_of(set, number, &found);
    ck_assert_uint_eq(found, state);
  }
  ck_assert_uint_eq(sum_of(set, 1).count + refused, STATES);
  ck_assert_uint_gt(refused, 0);
  visited_free(set);
}

static void number_states_of(const char *scheme) {
  struct visited *set = create_of(scheme, 2 * STATES);
  uint64_t numbers[STATES];
  ck_assert_int_eq(set->numbered, table_traits(scheme)->stable);
  if (set->numbered) {
    number_all(set, VISITED_NEW, numbers);
    has_numbers(set, numbers);
    check_all_there(set);
    if (!table_traits(scheme)->every_key) { /* its numbers are the keys, and it refuses none */
      move_numbered(scheme, set, numbers);
      refuse_numbered(scheme);
    }
  }
  visited_free(set);
}

START_TEST(test_numbers) {
  unsigned schemes = 0;
  for (const char *const *scheme = table_schemes(); *scheme; scheme++)
    if (!table_cannot(&(struct table_config){.scheme = *scheme, .key_bits = BITS}, TABLE_FIND_OR_PUT))
      number_states_of(*scheme), schemes++;
  ck_assert_uint_ge(schemes, 2);
  ck_assert(table_traits("iceberg")->stable);
  ck_assert(!table_traits("linear")->stable);
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
  return suite_end(run_tests("visited", CK_NOFORK, test_answers, test_move, test_move_to_another_scheme,
                             test_no_place_elsewhere, test_no_place, test_memory, test_numbers, test_create_fails));
}
