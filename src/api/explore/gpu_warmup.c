#include "api/explore/gpu_warmup.h"

#include "core/mem.h"
#include "core/thread.h"
#include "gpu/jit/gpu_api.h"

/* A timeout so soon leaves nothing for the GPU to win. */
#define LEAST_SECONDS 0.1

/* False: it was recalled before. */
static bool wait_for_begin(struct scout *scout) {
  pthread_mutex_lock(&scout->mutex);
  while (!stop_is_set(&scout->needless) && clock_seconds() < scout->begin)
    thread_wait_until(&scout->recalled, &scout->mutex, scout->begin);
  pthread_mutex_unlock(&scout->mutex);
  return !stop_is_set(&scout->needless);
}

static unsigned open_others(void *user) {
  struct scout *scout = user;
  const struct stop stop = engine_stop(&scout->task);
  return gpus_open_others(&scout->gpus, &scout->options, &stop, scout->log);
}

static floe_status prepare(struct scout *scout) {
  const struct stop stop = engine_stop(&scout->task);
  FLOE_TRY(gpus_choose(&scout->options, &scout->task, &stop, scout->log, &scout->gpus, &scout->reason));
  scout->task.devices = scout->gpus.gpu;
  scout->task.device_count = scout->gpus.count;
  if (scout->gpus.most > scout->gpus.count) {
    scout->others = (struct engine_others){scout->gpus.others_from, open_others, scout};
    scout->task.others = &scout->others;
    scout->engine = engine_for(scout->gpus.most);
  } else {
    scout->engine = engine_for(scout->gpus.count);
  }
  return scout->engine->prepare(&scout->task, scout->log, &scout->search);
}

static bool is_worth_it(const struct scout *scout) {
  const struct stop stop = engine_stop(&scout->task);
  return !stop_wanted(&stop) && (stop.deadline == 0 || stop.deadline - clock_seconds() > LEAST_SECONDS);
}

/* The flag is relaxed: everything else is read after the thread has been joined. */
static void *explore_the_way(void *data) {
  struct scout *scout = data;
  const struct stop stop = engine_stop(&scout->task);
  scout->status = wait_for_begin(scout) ? prepare(scout) : FLOE_ERROR_UNSUPPORTED;
  scout->stopped = scout->status != FLOE_OK && stop_wanted(&stop);
  if (scout->status == FLOE_OK && is_worth_it(scout))
    atomic_store_explicit(&scout->ready, true, memory_order_relaxed);
  return NULL;
}

struct scout *scout_send(const struct engine_task *task, double delay, floe_log *log) {
  struct scout *scout = mem_alloc(sizeof *scout);
  if (!scout)
    return NULL;
  scout->options = *task->options;
  scout->task = *task;
  scout->task.options = &scout->options;
  scout->task.needless = &scout->needless;
  scout->log = log;
  scout->begin = clock_seconds() + delay;
  pthread_mutex_init(&scout->mutex, NULL);
  thread_condition(&scout->recalled);
  if (thread_start(&scout->thread, explore_the_way, scout))
    return scout;
  scout_free(scout);
  return NULL;
}

void scout_await(struct scout *scout) { pthread_join(scout->thread, NULL); }

void scout_recall(struct scout *scout) {
  pthread_mutex_lock(&scout->mutex);
  atomic_store_explicit(&scout->needless, true, memory_order_relaxed); /* the mutex orders it */
  pthread_cond_signal(&scout->recalled);
  pthread_mutex_unlock(&scout->mutex);
  scout_await(scout);
}

void scout_drop(struct scout *scout) {
  if (scout->search)
    scout->engine->drop(scout->search);
  scout->search = NULL;
}

void scout_free(struct scout *scout) {
  scout_drop(scout);
  pthread_cond_destroy(&scout->recalled);
  pthread_mutex_destroy(&scout->mutex);
  mem_free(scout);
}
