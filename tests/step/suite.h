/* Runs a suite in one process, so that the last test or the caller can check the memory in use. */
#ifndef FLOE_TESTS_STEP_SUITE_H
#define FLOE_TESTS_STEP_SUITE_H

#include "core/mem.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

/* FLOE_TEST_QUICK=1: long tests that another build runs in full are run on a small part. */
static inline bool quickly(void) { return getenv("FLOE_TEST_QUICK") != NULL; }

/* FLOE_TEST_ALL=1 (`make check-all`): also repetitions for other GPUs, layouts and seeds. */
static inline bool everything(void) { return getenv("FLOE_TEST_ALL") != NULL && !quickly(); }

/* FLOE_TEST_LONG=1: also tests that `make check` omits to save time. .ci/run runs them with another build. */
static inline bool at_length(void) { return getenv("FLOE_TEST_LONG") != NULL || everything(); }

/* Runs the suite and frees it. Returns the number of tests that failed. */
static inline int suite_run(Suite *suite) {
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed;
}

static inline int run_suite(const char *name, const TTest *const *tests, size_t count) {
  Suite *suite = suite_create(name);
  TCase *group = tcase_create(name);
  for (size_t i = 0; i < count; i++)
    tcase_add_test(group, tests[i]);
  suite_add_tcase(suite, group);
  return suite_run(suite) ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
