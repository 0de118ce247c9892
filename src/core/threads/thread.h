/* Helper threads. All signals are blocked in them, because handlers belong to the program. */
#ifndef FLOE_CORE_THREADS_THREAD_H
#define FLOE_CORE_THREADS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* With a stack of 4 MiB, whatever the process limits, and all signals blocked. */
bool thread_start(pthread_t *thread, void *(*main)(void *data), void *data);

/* Condition variable on the monotonic clock, and waits of limited length, or until `time` (of clock_seconds), which
   may be in the past. Both may return early. */
void thread_condition(pthread_cond_t *condition);
void thread_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, long nanoseconds);
void thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, double time);

#endif
