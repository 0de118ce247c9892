/* Cache misses of a program, by the processor's own counters (perf_event_open), where the system lets it read them. C11
   and C++, nothing else of floe is needed. */
#ifndef FLOE_BENCH_MISSES_H
#define FLOE_BENCH_MISSES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counts misses of the last level from now on, in this thread and in all that it makes later, outside of the kernel.
   Returns what misses_read wants; -1: the system counts none. */
int misses_open(void);
/* So far, of all of those threads; -1: unknown. */
int64_t misses_read(int counter);
void misses_close(int counter);

#ifdef __cplusplus
}
#endif

#endif
