#include "engine/comm/heartbeat.h"

#include "core/mem.h"
#include "core/thread.h"

/* Of the others' patience, between two signs. */
#define SHARE 8
/* Seconds between two looks for who asks for an end. */
#define LISTENING 0.05

struct heartbeat {
  struct comm *comm;
  atomic_bool *asked; /* NULL: nobody is heard */
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t end;
  bool ended;
};

/* Relaxed: a flag without data. */
static void listen(const struct heartbeat *heartbeat) {
  struct message *stop = comm_poll(heartbeat->comm, MSG_STOP);
  if (stop)
    atomic_store_explicit(heartbeat->asked, true, memory_order_relaxed);
  message_free(stop);
}

static void *heartbeat(void *data) {
  struct heartbeat *heartbeat = data;
  pthread_mutex_lock(&heartbeat->mutex);
  for (double next = 0; !heartbeat->ended;) {
    const double now = clock_seconds(), look = now + LISTENING;
    if (now >= next) {
      comm_send_all(heartbeat->comm, MSG_HEARTBEAT, 0, NULL, 0);
      next = now + comm_timeout / SHARE;
    }
    if (heartbeat->asked)
      listen(heartbeat);
    thread_wait_until(&heartbeat->end, &heartbeat->mutex, heartbeat->asked && look < next ? look : next);
  }
  pthread_mutex_unlock(&heartbeat->mutex);
  return NULL;
}

static void drop(struct heartbeat *heartbeat) {
  pthread_cond_destroy(&heartbeat->end);
  pthread_mutex_destroy(&heartbeat->mutex);
  mem_free(heartbeat);
}

struct heartbeat *heartbeat_begin(struct comm *comm, atomic_bool *asked) {
  struct heartbeat *made = mem_alloc(sizeof *made);
  if (!made)
    return NULL;
  *made = (struct heartbeat){.comm = comm, .asked = asked};
  pthread_mutex_init(&made->mutex, NULL);
  thread_condition(&made->end);
  if (thread_start(&made->thread, heartbeat, made))
    return made;
  drop(made);
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
  drop(heartbeat);
}
