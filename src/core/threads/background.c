#include "core/threads/background.h"

#include "core/mem.h"
#include "core/threads/thread.h"

struct background {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  pthread_t thread;
  bool threaded, over;
  void (*work)(void *data); /* NULL: none */
  void *data;
};

/* ---- the thread's side --------------------------------------------------------------------------- */

/* NULL: the thread must end. */
static bool next_work(struct background *background) {
  pthread_mutex_lock(&background->mutex);
  while (!background->work && !background->over)
    pthread_cond_wait(&background->changed, &background->mutex);
  const bool any = background->work;
  pthread_mutex_unlock(&background->mutex);
  return any;
}

static void *work_on(void *of) {
  struct background *background = of;
  while (next_work(background)) {
    background->work(background->data);
    pthread_mutex_lock(&background->mutex);
    background->work = NULL;
    pthread_cond_broadcast(&background->changed);
    pthread_mutex_unlock(&background->mutex);
  }
  return NULL;
}

/* ---- the owner's --------------------------------------------------------------------------------- */

floe_status background_create(struct background **out) {
  struct background *background = mem_alloc(sizeof *background);
  if (!background)
    return FLOE_ERROR_MEMORY;
  *background = (struct background){0};
  pthread_mutex_init(&background->mutex, NULL);
  pthread_cond_init(&background->changed, NULL);
  background->threaded = thread_start(&background->thread, work_on, background);
  *out = background;
  return FLOE_OK;
}

void background_wait(struct background *background) {
  pthread_mutex_lock(&background->mutex);
  while (background->work)
    pthread_cond_wait(&background->changed, &background->mutex);
  pthread_mutex_unlock(&background->mutex);
}

void background_start(struct background *background, void (*work)(void *data), void *data) {
  if (!background->threaded) {
    work(data);
    return;
  }
  background_wait(background);
  pthread_mutex_lock(&background->mutex);
  background->work = work;
  background->data = data;
  pthread_cond_broadcast(&background->changed);
  pthread_mutex_unlock(&background->mutex);
}

void background_free(struct background *background) {
  if (!background)
    return;
  background_wait(background);
  pthread_mutex_lock(&background->mutex);
  background->over = true;
  pthread_cond_broadcast(&background->changed);
  pthread_mutex_unlock(&background->mutex);
  if (background->threaded)
    pthread_join(background->thread, NULL);
  pthread_cond_destroy(&background->changed);
  pthread_mutex_destroy(&background->mutex);
  mem_free(background);
}
