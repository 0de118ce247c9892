/* Detached call: runs a call that cannot be interrupted (driver start, compiler library) in a thread of its own, so
   that the caller can stop waiting. The call is then abandoned, and its thread cleans up after it returns. */
#ifndef FLOE_CORE_THREADS_DETACHED_CALL_H
#define FLOE_CORE_THREADS_DETACHED_CALL_H

#include "core/threads/stop.h"

struct detached_call {
  void (*run)(void *data);  /* uses nothing but data; all signals are blocked */
  void (*drop)(void *data); /* frees data; called if the call was abandoned, after `run` has returned */
};

/* True: `run` has returned, and data belongs to the caller. False: the caller was stopped first, and data no longer
   belongs to it. If no thread can be created, the caller runs it itself. */
bool detached_call_run(const struct detached_call *call, void *data, const struct stop *stop);

/* Number of abandoned calls that are still running. exit() waits for them, because it unloads the libraries that
   they use; _exit does not. */
unsigned detached_calls_running(void);
void detached_calls_wait(void);

#endif
