/* Common parts of test programs that use the emulated GPU. */
#ifndef TESTS_GPU_EMULATED_SUITE_H
#define TESTS_GPU_EMULATED_SUITE_H

#include "emulated.h"
#include "tests/suite.h"

#include <stdio.h>

/* 0: the tests can run. Otherwise: exit code of the program. */
static inline int emulated_lacks(void) {
  if (!getenv("top_srcdir")) {
    puts("top_srcdir is not set");
    return 99;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  return emulated_possible() ? 0 : 77;
}

/* Runs the groups in this process and returns the exit code. Fails if memory is not freed. */
static inline int emulated_run_groups(const char *name, TCase *const *groups) {
  const int failed = run_groups(name, CK_NOFORK, groups);
  emulated_forget();
  return suite_end(failed);
}
#define emulated_run(name, ...) emulated_run_groups(name, (TCase *const[]){__VA_ARGS__, NULL})

#endif
