/* Cache misses of a program, by the processor's counters (perf_event_open), if the system permits reading them. C11
   and C++; needs no other part of floe. */
#ifndef FLOE_BENCH_MISSES_H
#define FLOE_BENCH_MISSES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts counting misses of the last-level cache, in this thread and all that it creates later, outside of the
   kernel. Returns the argument of misses_read; -1: the system counts none. */
int misses_open(void);
/* Misses so far, of all of those threads; -1: unknown. */
int64_t misses_read(int counter);
void misses_close(int counter);

#ifdef __cplusplus
}
#endif

#endif
