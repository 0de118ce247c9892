/* Gets a GPU ready while the CPU explores already: driver, kernels, memory. */
#ifndef FLOE_SCOUT_H
#define FLOE_SCOUT_H

#include "api/explore/gpu_select.h"
#include "engine/engine.h"
#include "floe.h"
#include "step/compile/compiler.h" /* struct reason */

#include <pthread.h>

struct gpu_warmup {
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
struct gpu_warmup *gpu_warmup_start(const struct engine_task *task, double delay, floe_log *log);
/* Waits until it comes home. */
void gpu_warmup_join(struct gpu_warmup *warmup);
/* The same, at once. What cannot be interrupted is left behind. */
void gpu_warmup_cancel(struct gpu_warmup *warmup);
/* After one of these: what was prepared, before its devices can be released. */
void gpu_warmup_discard(struct gpu_warmup *warmup);
/* The same. The devices are not released. */
void gpu_warmup_free(struct gpu_warmup *warmup);

#endif
