/* A thread that works once, after a delay, unless it is cancelled before. */
#ifndef FLOE_CORE_THREADS_DELAYED_THREAD_H
#define FLOE_CORE_THREADS_DELAYED_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define ON_REQUEST 1e9 /* seconds of delay: only delayed_thread_hurry begins the work */

struct delayed_thread {
  void (*work)(void *data);
  void *data;
  atomic_bool cancelled; /* as stop condition of the work */
  bool started;
  double begin; /* clock_seconds() */
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t wake_up;
};

/* False: there is no thread; delayed_thread_join follows with any result. */
bool delayed_thread_start(struct delayed_thread *delayed, double seconds, void (*work)(void *data), void *data);
/* Begins the work now, if it has not begun. */
void delayed_thread_hurry(struct delayed_thread *delayed);
/* Sets `cancelled`: the work ends early, or does not begin. */
void delayed_thread_cancel(struct delayed_thread *delayed);
void delayed_thread_join(struct delayed_thread *delayed);

#endif
