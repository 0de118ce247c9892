/* What the main programs of tests on the imitated GPU share. */
#ifndef TESTS_GPU_EMULATED_SUITE_H
#define TESTS_GPU_EMULATED_SUITE_H

#include "emulated.h"
#include "tests/step/suite.h"

#include <stdio.h>

/* 0: there is what the tests need. Else the program's exit code. */
static inline int emulated_lacks(void) {
  if (!getenv("top_srcdir")) {
    puts("top_srcdir is not set");
    return 99;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  return emulated_possible() ? 0 : 77;
}

/* Runs the suite and frees it; the exit code. Nothing may stay in memory. */
static inline int emulated_run(Suite *suite) {
  const int failed = suite_run(suite);
  emulated_forget();
  if (mem_live() != 0)
    printf("%zu bytes live at the end\n", mem_live());
  return failed || mem_live() != 0;
}

#endif
