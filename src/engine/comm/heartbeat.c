#include "engine/comm/heartbeat.h"

#include "core/mem.h"
#include "core/thread.h"

/* Of the others' patience, between two signs. */
#define SHARE 8
/* Seconds between two looks for who asks for an end. */
#define LISTENING 0.05

struct beat {
  struct post *post;
  atomic_bool *asked; /* NULL: nobody is heard */
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t end;
  bool ended;
};

/* Relaxed: a flag without data. */
static void listen(const struct beat *beat) {
  struct message *stop = post_take(beat->post, LETTER_STOP);
  if (stop)
    atomic_store_explicit(beat->asked, true, memory_order_relaxed);
  message_free(stop);
}

static void *beat(void *data) {
  struct beat *beat = data;
  pthread_mutex_lock(&beat->mutex);
  for (double next = 0; !beat->ended;) {
    const double now = clock_seconds(), look = now + LISTENING;
    if (now >= next) {
      post_send_all(beat->post, LETTER_ALIVE, 0, NULL, 0);
      next = now + post_patience / SHARE;
    }
    if (beat->asked)
      listen(beat);
    thread_wait_until(&beat->end, &beat->mutex, beat->asked && look < next ? look : next);
  }
  pthread_mutex_unlock(&beat->mutex);
  return NULL;
}

static void drop(struct beat *beat) {
  pthread_cond_destroy(&beat->end);
  pthread_mutex_destroy(&beat->mutex);
  mem_free(beat);
}

struct beat *beat_begin(struct post *post, atomic_bool *asked) {
  struct beat *made = mem_alloc(sizeof *made);
  if (!made)
    return NULL;
  *made = (struct beat){.post = post, .asked = asked};
  pthread_mutex_init(&made->mutex, NULL);
  thread_condition(&made->end);
  if (thread_start(&made->thread, beat, made))
    return made;
  drop(made);
  return NULL;
}

void beat_end(struct beat *beat) {
  if (!beat)
    return;
  pthread_mutex_lock(&beat->mutex);
  beat->ended = true;
  pthread_cond_signal(&beat->end);
  pthread_mutex_unlock(&beat->mutex);
  pthread_join(beat->thread, NULL);
  drop(beat);
}
