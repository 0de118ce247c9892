#define _GNU_SOURCE
#include "core/threads/thread.h"

#include "core/system/clock.h"

#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#define STACK_BYTES ((size_t)4 << 20)
#define SECOND 1000000000

bool thread_start(pthread_t *thread, void *(*main)(void *), void *data) {
  pthread_attr_t attributes;
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* inherited */
  int failed = pthread_create(thread, &attributes, main, data);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return !failed;
}

void thread_condition(pthread_cond_t *condition) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

void thread_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, long nanoseconds) {
  assert(nanoseconds >= 0);
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  nanoseconds += until.tv_nsec;
  until.tv_sec += nanoseconds / SECOND;
  until.tv_nsec = nanoseconds % SECOND;
  pthread_cond_timedwait(condition, mutex, &until);
}

/* Rounded up, so that a caller that waits until the time has come does not spin. */
void thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, double time) {
  double left = time - clock_seconds();
  if (left > 0)
    thread_wait(condition, mutex, (long)(1e9 * left) + 1);
}
