#include "core/threads/delayed_thread.h"

#include "core/threads/stop.h"
#include "core/threads/thread.h"

static void *run(void *of) {
  struct delayed_thread *delayed = of;
  pthread_mutex_lock(&delayed->mutex);
  while (!stop_is_set(&delayed->cancelled) && clock_seconds() < delayed->begin)
    thread_wait_until(&delayed->wake_up, &delayed->mutex, delayed->begin);
  pthread_mutex_unlock(&delayed->mutex);
  if (!stop_is_set(&delayed->cancelled))
    delayed->work(delayed->data);
  return NULL;
}

bool delayed_thread_start(struct delayed_thread *delayed, double seconds, void (*work)(void *data), void *data) {
  *delayed = (struct delayed_thread){.work = work, .data = data, .begin = clock_seconds() + seconds};
  pthread_mutex_init(&delayed->mutex, NULL);
  thread_condition(&delayed->wake_up);
  delayed->started = thread_start(&delayed->thread, run, delayed);
  return delayed->started;
}

void delayed_thread_hurry(struct delayed_thread *delayed) {
  pthread_mutex_lock(&delayed->mutex);
  delayed->begin = 0;
  pthread_cond_signal(&delayed->wake_up);
  pthread_mutex_unlock(&delayed->mutex);
}

void delayed_thread_cancel(struct delayed_thread *delayed) {
  atomic_store_explicit(&delayed->cancelled, true, memory_order_relaxed); /* the mutex orders it */
  delayed_thread_hurry(delayed);
}

void delayed_thread_join(struct delayed_thread *delayed) {
  if (delayed->started)
    pthread_join(delayed->thread, NULL);
  pthread_cond_destroy(&delayed->wake_up);
  pthread_mutex_destroy(&delayed->mutex);
}
