#define _GNU_SOURCE
#include "bench/queries/misses.h"

#include <unistd.h>

#ifdef __linux__
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>

int misses_open(void) {
  struct perf_event_attr what;
  memset(&what, 0, sizeof what);
  what.size = sizeof what;
  what.type = PERF_TYPE_HARDWARE;
  what.config = PERF_COUNT_HW_CACHE_MISSES;
  what.inherit = 1;
  what.exclude_kernel = 1; /* else unprivileged processes may not count */
  what.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}
#else
int misses_open(void) { return -1; }
#endif

int64_t misses_read(int counter) {
  uint64_t count;
  return counter >= 0 && read(counter, &count, sizeof count) == (ssize_t)sizeof count ? (int64_t)count : -1;
}

void misses_close(int counter) {
  if (counter >= 0)
    close(counter);
}
