/* Common parts of test programs that use the emulated GPU. */
#ifndef TESTS_GPU_EMULATED_SUITE_H
#define TESTS_GPU_EMULATED_SUITE_H

#include "emulated.h"
#include "tests/step/suite.h"

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

/* Runs the suite and frees it; returns the exit code. Fails if memory is not freed. */
static inline int emulated_run(Suite *suite) {
  const int failed = suite_run(suite);
  emulated_forget();
  if (mem_live() != 0)
    printf("%zu bytes live at the end\n", mem_live());
  return failed || mem_live() != 0;
}

#endif
