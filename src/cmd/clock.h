/* Monotonic clock of the command. */
#ifndef FLOE_CMD_CLOCK_H
#define FLOE_CMD_CLOCK_H

#include <time.h>

/* In seconds, since an arbitrary time. */
static inline double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
