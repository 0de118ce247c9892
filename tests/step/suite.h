/* The main function of a suite: runs in one process, so that the last test can look at the memory
 * in use. */
#ifndef FLOE_TEST_SUITE_H
#define FLOE_TEST_SUITE_H

#include "core/mem.h"

#include <check.h>
#include <stdlib.h>

static inline int run_suite(const char *name, const TTest *const *tests, size_t count) {
  Suite *suite = suite_create(name);
  TCase *group = tcase_create(name);
  tcase_set_timeout(group, 0);
  for (size_t i = 0; i < count; i++)
    tcase_add_test(group, tests[i]);
  suite_add_tcase(suite, group);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
