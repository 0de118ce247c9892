#include "api/device/gpu_warmup.h"

#include "core/mem.h"
#include "core/threads/thread.h"
#include "gpu/jit/gpu_api.h"

/* With less time until the timeout the GPU cannot gain anything. */
#define LEAST_SECONDS 0.1

/* False: cancelled before. */
static bool wait_for_begin(struct gpu_warmup *warmup) {
  pthread_mutex_lock(&warmup->mutex);
  while (!stop_is_set(&warmup->cancelled) && clock_seconds() < warmup->begin)
    thread_wait_until(&warmup->cancel, &warmup->mutex, warmup->begin);
  pthread_mutex_unlock(&warmup->mutex);
  return !stop_is_set(&warmup->cancelled);
}

static unsigned open_others(void *user) {
  struct gpu_warmup *warmup = user;
  const struct stop stop = engine_stop(&warmup->task);
  return gpu_select_add_others(&warmup->gpus, &warmup->options, &stop, warmup->log);
}

static floe_status open_and_prepare(struct gpu_warmup *warmup) {
  const struct stop stop = engine_stop(&warmup->task);
  FLOE_TRY(gpu_select(&warmup->options, &warmup->task, &stop, warmup->log, &warmup->gpus, &warmup->reason));
  warmup->task.devices.gpus = warmup->gpus.gpu;
  warmup->task.devices.count = warmup->gpus.count;
  if (warmup->gpus.max_count > warmup->gpus.count) {
    warmup->others = (struct engine_others){warmup->gpus.others_from, open_others, warmup};
    warmup->task.devices.others = &warmup->others;
    warmup->engine = engine_for(warmup->gpus.max_count);
  } else {
    warmup->engine = engine_for(warmup->gpus.count);
  }
  return warmup->engine->prepare(&warmup->task, warmup->log, &warmup->search);
}

static bool has_time_left(const struct gpu_warmup *warmup) {
  const struct stop stop = engine_stop(&warmup->task);
  return !stop_requested(&stop) && (stop.deadline == 0 || stop.deadline - clock_seconds() > LEAST_SECONDS);
}

/* The flag is relaxed: everything else is read after the thread was joined. */
static void *warmup_thread(void *data) {
  struct gpu_warmup *warmup = data;
  const struct stop stop = engine_stop(&warmup->task);
  warmup->status = wait_for_begin(warmup) ? open_and_prepare(warmup) : FLOE_ERROR_UNSUPPORTED;
  warmup->stopped = warmup->status != FLOE_OK && stop_requested(&stop);
  if (warmup->status == FLOE_OK && has_time_left(warmup))
    atomic_store_explicit(&warmup->ready, true, memory_order_relaxed);
  return NULL;
}

struct gpu_warmup *gpu_warmup_start(const struct engine_task *task, double delay, floe_log *log) {
  struct gpu_warmup *warmup = mem_alloc(sizeof *warmup);
  if (!warmup)
    return NULL;
  warmup->options = *task->options;
  warmup->task = *task;
  warmup->task.options = &warmup->options;
  warmup->task.limits.cancelled = &warmup->cancelled;
  warmup->log = log;
  warmup->begin = clock_seconds() + delay;
  pthread_mutex_init(&warmup->mutex, NULL);
  thread_condition(&warmup->cancel);
  if (thread_start(&warmup->thread, warmup_thread, warmup))
    return warmup;
  gpu_warmup_free(warmup);
  return NULL;
}

void gpu_warmup_join(struct gpu_warmup *warmup) { pthread_join(warmup->thread, NULL); }

void gpu_warmup_cancel(struct gpu_warmup *warmup) {
  pthread_mutex_lock(&warmup->mutex);
  atomic_store_explicit(&warmup->cancelled, true, memory_order_relaxed); /* the mutex orders it */
  pthread_cond_signal(&warmup->cancel);
  pthread_mutex_unlock(&warmup->mutex);
  gpu_warmup_join(warmup);
}

void gpu_warmup_discard(struct gpu_warmup *warmup) {
  if (warmup->search)
    warmup->engine->drop(warmup->search);
  warmup->search = NULL;
}

void gpu_warmup_free(struct gpu_warmup *warmup) {
  gpu_warmup_discard(warmup);
  pthread_cond_destroy(&warmup->cancel);
  pthread_mutex_destroy(&warmup->mutex);
  mem_free(warmup);
}
