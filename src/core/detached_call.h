/* A call that nothing can interrupt (the start of a driver, a compiler that is a library), made by a thread of its own,
   so that whoever waits for it can leave: it is then left behind, and cleans up after itself when it returns. */
#ifndef FLOE_ERRAND_H
#define FLOE_ERRAND_H

#include "core/stop.h"

struct detached_call {
  void (*run)(void *data);  /* touches nothing but data; all signals are blocked */
  void (*drop)(void *data); /* frees data: called where the errand was left behind, when `run` has returned */
};

/* True: `run` has returned, and data is the caller's. False: the caller was stopped before, and data is not its any
   more. Where there is no thread to be had the caller runs it itself. */
bool detached_call_run(const struct detached_call *call, void *data, const struct stop *stop);

/* How many are left behind and still running. At the end of the process exit() waits for them, since the libraries that
   they are in are taken down then; _exit does not. */
unsigned detached_calls_running(void);
void detached_calls_wait(void);

#endif
