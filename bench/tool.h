/* Errors and memory of measuring programs. TOOL, the program's name, is defined before this is included. */
#ifndef FLOE_BENCH_TOOL_H
#define FLOE_BENCH_TOOL_H

#include <stdio.h>
#include <stdlib.h>

static _Noreturn void fail(const char *why) {
  fprintf(stderr, TOOL ": %s\n", why);
  exit(EXIT_FAILURE);
}

/* n zeroed elements, and one more. */
static inline void *room_for(size_t n, size_t size) {
  void *p = calloc(n + 1, size);
  if (!p)
    fail("no memory");
  return p;
}

#endif
