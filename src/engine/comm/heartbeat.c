#include "engine/comm/heartbeat.h"

#include "core/mem.h"
#include "core/threads/thread.h"

#define BEATS_PER_TIMEOUT 8
/* Seconds between two polls for MSG_STOP. */
#define POLL_SECONDS 0.05

struct heartbeat {
  struct comm *comm;
  atomic_bool *stop_requested; /* NULL: MSG_STOP is not polled */
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t end;
  bool ended;
};

/* Relaxed: a flag without data. */
static void poll_stop(const struct heartbeat *heartbeat) {
  struct message *stop = comm_poll(heartbeat->comm, MSG_STOP);
  if (stop)
    atomic_store_explicit(heartbeat->stop_requested, true, memory_order_relaxed);
  message_free(stop);
}

static void *heartbeat(void *data) {
  struct heartbeat *heartbeat = data;
  pthread_mutex_lock(&heartbeat->mutex);
  for (double next = 0; !heartbeat->ended;) {
    const double now = clock_seconds(), look = now + POLL_SECONDS;
    if (now >= next) {
      comm_send_all(heartbeat->comm, MSG_HEARTBEAT, 0, NULL, 0);
      next = now + comm_timeout / BEATS_PER_TIMEOUT;
    }
    if (heartbeat->stop_requested)
      poll_stop(heartbeat);
    thread_wait_until(&heartbeat->end, &heartbeat->mutex, heartbeat->stop_requested && look < next ? look : next);
  }
  pthread_mutex_unlock(&heartbeat->mutex);
  return NULL;
}

static void free_heartbeat(struct heartbeat *heartbeat) {
  pthread_cond_destroy(&heartbeat->end);
  pthread_mutex_destroy(&heartbeat->mutex);
  mem_free(heartbeat);
}

struct heartbeat *heartbeat_begin(struct comm *comm, atomic_bool *stop_requested) {
  struct heartbeat *made = mem_alloc(sizeof *made);
  if (!made)
    return NULL;
  *made = (struct heartbeat){.comm = comm, .stop_requested = stop_requested};
  pthread_mutex_init(&made->mutex, NULL);
  thread_condition(&made->end);
  if (thread_start(&made->thread, heartbeat, made))
    return made;
  free_heartbeat(made);
  return NULL;
}

void heartbeat_end(struct heartbeat *heartbeat) {
  if (!heartbeat)
    return;
  pthread_mutex_lock(&heartbeat->mutex);
  heartbeat->ended = true;
  pthread_cond_signal(&heartbeat->end);
  pthread_mutex_unlock(&heartbeat->mutex);
  pthread_join(heartbeat->thread, NULL);
  free_heartbeat(heartbeat);
}
