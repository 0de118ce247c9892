/* Gets a GPU ready while the CPU explores already: driver, kernels, memory. */
#ifndef FLOE_SCOUT_H
#define FLOE_SCOUT_H

#include "api/explore/gpu_select.h"
#include "engine/engine.h"
#include "floe.h"
#include "step/compile/compiler.h" /* struct reason */

#include <pthread.h>

struct scout {
  const struct engine *engine; /* of so many devices as there are, or may be */
  struct engine_task task;     /* the GPU's: with a device, options and an end of its own */
  struct engine_others others;
  floe_options options;
  floe_log *log;        /* what is told of the GPU */
  double begin;         /* of clock_seconds */
  atomic_bool needless; /* the CPU was faster */
  atomic_bool ready;    /* the GPU can begin, and is worth it: ends the run on the CPU */
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t recalled;
  /* When it has come home: */
  struct gpus gpus; /* none: none was to be had, for this reason. More after exploring */
  struct reason reason;
  struct search *search; /* NULL: the device could not be prepared; the log has why, but for lack of memory */
  floe_status status;    /* of both */
  bool stopped;          /* which is not for want of anything: it was called back, or the whole run is to end */
};

/* Begins in `delay` seconds. What `task` refers to must live until the scout is freed. NULL: no thread, no memory. */
struct scout *scout_send(const struct engine_task *task, double delay, floe_log *log);
/* Waits until it comes home. */
void scout_await(struct scout *scout);
/* The same, at once. What cannot be interrupted is left behind. */
void scout_recall(struct scout *scout);
/* After one of these: what was prepared, before its devices can be released. */
void scout_drop(struct scout *scout);
/* The same. The devices are not released. */
void scout_free(struct scout *scout);

#endif
