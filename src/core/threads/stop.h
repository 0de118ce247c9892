/* Stop conditions of an operation: interrupt flag, cancellation flag, deadline. Every operation that can take long
   polls them at least every few hundredths of a second and leaves its data as if it had not started. */
#ifndef FLOE_CORE_THREADS_STOP_H
#define FLOE_CORE_THREADS_STOP_H

#include "core/system/clock.h"

#include <stdatomic.h>
#include <stdbool.h>

struct stop {
  const atomic_bool *interrupt; /* NULL: none */
  const atomic_bool *cancelled; /* the result is no longer needed; NULL: cannot be cancelled */
  double deadline;              /* of clock_seconds; 0: none */
  /* Called every few hundredths of a second by a thread that waits for another one, in the caller's thread; NULL:
     none. */
  void (*waiting)(void *user);
  void *user;
};

/* Relaxed: flags without data. */
static inline bool stop_is_set(const atomic_bool *flag) {
  return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

static inline bool stop_deadline_passed(const struct stop *stop) {
  return stop->deadline != 0 && clock_seconds() >= stop->deadline;
}

/* NULL: no conditions. */
static inline bool stop_requested(const struct stop *stop) {
  return stop && (stop_is_set(stop->interrupt) || stop_is_set(stop->cancelled) || stop_deadline_passed(stop));
}

static inline void stop_call_waiting(const struct stop *stop) {
  if (stop && stop->waiting)
    stop->waiting(stop->user);
}

#endif
