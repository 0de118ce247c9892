#include "engine/beat.h"

#include "core/mem.h"
#include "core/thread.h"

/* Of the others' patience, between two signs. */
#define SHARE 8

struct beat {
  struct post *post;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t end;
  bool ended;
};

static void *beat(void *data) {
  struct beat *beat = data;
  pthread_mutex_lock(&beat->mutex);
  while (!beat->ended) {
    post_send_all(beat->post, LETTER_ALIVE, 0, NULL, 0);
    const double next = clock_seconds() + post_patience / SHARE;
    while (!beat->ended && clock_seconds() < next)
      thread_wait_until(&beat->end, &beat->mutex, next);
  }
  pthread_mutex_unlock(&beat->mutex);
  return NULL;
}

static void drop(struct beat *beat) {
  pthread_cond_destroy(&beat->end);
  pthread_mutex_destroy(&beat->mutex);
  mem_free(beat);
}

struct beat *beat_begin(struct post *post) {
  struct beat *made = mem_alloc(sizeof *made);
  if (!made)
    return NULL;
  *made = (struct beat){.post = post};
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
