/* Common parts of the table tests: random words, a reference set, all geometries, the main program. */
#ifndef FLOE_TESTS_TABLES_TABLE_SUITE_H
#define FLOE_TESTS_TABLES_TABLE_SUITE_H

#include "base/numbers.h"
#include "base/splitmix64.h"
#include "core/mem.h"
#include "tables/simd.h"
#include "tables/table.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reference set: linear probing with a byte that marks used slots. */
struct reference {
  uint64_t *keys;
  uint8_t *used;
  uint64_t mask, count;
};

static inline struct reference reference_make(uint64_t at_most) {
  struct reference set = {.mask = 15};
  while (set.mask < 2 * at_most)
    set.mask = set.mask << 1 | 1;
  set.keys = calloc(set.mask + 1, sizeof *set.keys);
  set.used = calloc(set.mask + 1, 1);
  return set;
}

static inline void reference_free(struct reference *set) {
  free(set->keys);
  free(set->used);
}

static inline uint64_t reference_slot(const struct reference *set, uint64_t key) {
  uint64_t state = key, at = splitmix64_next(&state) & set->mask;
  while (set->used[at] && set->keys[at] != key)
    at = (at + 1) & set->mask;
  return at;
}

static inline bool reference_has(const struct reference *set, uint64_t key) {
  return set->used[reference_slot(set, key)];
}

static inline void reference_put(struct reference *set, uint64_t key) {
  uint64_t at = reference_slot(set, key);
  set->count += !set->used[at];
  set->used[at] = 1;
  set->keys[at] = key;
}

/* Plans a table of about `slots` slots, or more if the slot width needs more buckets. False: none of at most 2^16. */
static inline bool plan_at_least(struct table_config *config, uint64_t slots) {
  struct table_shape shape;
  for (config->slots = slots ? slots : 1; config->slots <= UINT64_C(1) << 16; config->slots *= 2)
    if (table_plan(config, &shape) == FLOE_OK)
      return true;
  return false;
}

static inline struct table *make_table(const struct table_config *config) {
  struct table *table = NULL;
  ck_assert_int_eq(table_create(config, &table), FLOE_OK);
  return table;
}

static inline unsigned put_one(struct table *table, uint64_t key) {
  uint8_t answer;
  table_find_or_put(table, &key, 1, &answer);
  return answer;
}

static inline unsigned find_one(const struct table *table, uint64_t key) {
  uint8_t answer;
  table_find(table, &key, 1, &answer);
  return answer;
}

/* Every slot width and bucket size; not all pairs are layouts. */
static const unsigned slot_widths[] = {16, 21, 32, 64};
static const unsigned bucket_sizes[] = {8, 12, 16, 24, 32};
enum { SLOT_WIDTHS = 4, BUCKET_SIZES = 5 };

START_TEST(no_memory_is_left) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

/* Runs the tests in one process, so that memory leaks are found at the end. */
static inline int run_table_tests(const char *name, const TTest *const *tests) {
  TCase *cases = tcase_create(name);
  add_test_list(cases, tests);
  tcase_add_test(cases, no_memory_is_left);
  return run_suite(name, CK_NOFORK, cases);
}
#define RUN_SUITE(name, ...) run_table_tests(name, (const TTest *const[]){__VA_ARGS__, NULL})

/* ---- suites that run in every form of the scan that the machine has ------------------------------- */

/* Number of the current form, of form_count; one form if FLOE_TEST_SIMD is set. */
static unsigned form_number __attribute__((unused)), form_count __attribute__((unused)) = 1;

/* Distributes repeated work among the forms, so that all of them together take the time of one. */
static inline bool falls_to_form(size_t i) { return i % form_count == form_number; }

static inline int run_in_forms(const char *name, const TTest *const *tests) {
  const char *const *forms = simd_forms();
  int failed = 0;
  if (simd_requested())
    return run_table_tests(name, tests);
  for (form_count = 0; forms[form_count];)
    form_count++;
  for (form_number = 0; form_number < form_count; form_number++) {
    char title[100];
    snprintf(title, sizeof title, "%s (%s)", name, forms[form_number]);
    setenv(SIMD_VARIABLE, forms[form_number], 1);
    failed |= run_table_tests(title, tests);
  }
  unsetenv(SIMD_VARIABLE);
  return failed;
}
#define RUN_IN_FORMS(name, ...) run_in_forms(name, (const TTest *const[]){__VA_ARGS__, NULL})

#endif
