/* Threads that work beside the search: none of them is to get a signal, since handlers and what they ask for are the
   program's. */
#ifndef FLOE_THREAD_H
#define FLOE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* With a stack of 4 MiB, whatever the limits of the process, and all signals blocked. */
bool thread_start(pthread_t *thread, void *(*main)(void *data), void *data);

/* A condition of the monotonic clock, and a wait for at most so long, or until `time` (of clock_seconds), which may
   have come already. Both may end before, for no reason. */
void thread_condition(pthread_cond_t *condition);
void thread_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, long nanoseconds);
void thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, double time);

#endif
