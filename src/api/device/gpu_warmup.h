/* Initialises the GPU in the background while the CPU explores: driver, kernels, memory. */
#ifndef FLOE_API_DEVICE_GPU_WARMUP_H
#define FLOE_API_DEVICE_GPU_WARMUP_H

#include "api/device/gpu_select.h"
#include "engine/engine.h"
#include "floe.h"

#include <pthread.h>

struct gpu_warmup {
  const struct engine *engine; /* for the number of GPUs that the search has or may get */
  struct engine_task task;     /* for the GPU: with devices, options and a cancellation flag of its own */
  struct engine_others others;
  floe_options options;
  floe_log *log;         /* messages about the GPU */
  double begin;          /* clock_seconds() at which initialising starts */
  atomic_bool cancelled; /* the CPU was faster */
  atomic_bool ready;     /* the GPU is ready and has time left: ends the run on the CPU */
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t cancel; /* ends the wait for `begin` */
  /* Results, after the thread was joined: */
  struct gpus gpus; /* empty: no GPU is available, for `reason`. The search may open more */
  struct reason reason;
  struct search *search; /* NULL: preparing failed; the log has the reason, unless it was lack of memory */
  floe_status status;    /* of opening and preparing */
  bool stopped;          /* not a failure: cancelled, or the run is to end */
};

/* Starts the thread, which begins after `delay` seconds. What `task` refers to must live until gpu_warmup_free. NULL:
   no thread or no memory. */
struct gpu_warmup *gpu_warmup_start(const struct engine_task *task, double delay, floe_log *log);
/* Waits until the GPU is ready or has failed. */
void gpu_warmup_join(struct gpu_warmup *warmup);
/* Cancels and joins. Calls that cannot be interrupted are abandoned (floe_abandoned_calls). */
void gpu_warmup_cancel(struct gpu_warmup *warmup);
/* Drops the prepared search, after join or cancel; required before its GPUs are released. */
void gpu_warmup_discard(struct gpu_warmup *warmup);
/* gpu_warmup_discard, and frees the warm-up, but does not release the GPUs. */
void gpu_warmup_free(struct gpu_warmup *warmup);

#endif
