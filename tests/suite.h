/* Runs the tests of a program. */
#ifndef FLOE_TESTS_SUITE_H
#define FLOE_TESTS_SUITE_H

#include "core/mem.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* FLOE_TEST_QUICK=1: long tests that another build runs in full are run on a small part. */
static inline bool quickly(void) { return getenv("FLOE_TEST_QUICK") != NULL; }

/* FLOE_TEST_ALL=1 (`make check-all`): also repetitions for other GPUs, layouts and seeds. */
static inline bool everything(void) { return getenv("FLOE_TEST_ALL") != NULL && !quickly(); }

/* FLOE_TEST_LONG=1: also tests that `make check` omits to save time. .ci/run runs them with another build. */
static inline bool at_length(void) { return getenv("FLOE_TEST_LONG") != NULL || everything(); }

static inline void add_test_list(TCase *group, const TTest *const *tests) {
  for (; *tests; tests++)
    tcase_add_test(group, *tests);
}
/* add_tests(group, test, ...) */
#define add_tests(group, ...) add_test_list(group, (const TTest *const[]){__VA_ARGS__, NULL})

static inline int run_groups(const char *name, enum fork_status fork_status, TCase *const *groups) {
  Suite *suite = suite_create(name);
  for (; *groups; groups++)
    suite_add_tcase(suite, *groups);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, fork_status);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
/* run_suite(name, fork_status, group, ...): runs the groups, frees them and returns the exit code of the program.
   CK_NOFORK: all tests run in this process, so that the last one or suite_end can check the memory in use. */
#define run_suite(name, fork_status, ...) run_groups(name, fork_status, (TCase *const[]){__VA_ARGS__, NULL})

static inline int run_test_list(const char *name, enum fork_status fork_status, const TTest *const *tests) {
  TCase *group = tcase_create(name);
  add_test_list(group, tests);
  return run_suite(name, fork_status, group);
}
/* run_tests(name, fork_status, test, ...): a suite of one group without fixture. */
#define run_tests(name, fork_status, ...) run_test_list(name, fork_status, (const TTest *const[]){__VA_ARGS__, NULL})

/* The exit code after the program freed all: failure if a test failed or memory is in use. */
static inline int suite_end(int failed) {
  if (mem_live() != 0)
    printf("%zu bytes live at the end\n", mem_live());
  return failed || mem_live() != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
