#define _GNU_SOURCE
#include "core/threads/detached_call.h"

#include "core/mem.h"
#include "core/threads/thread.h"

#include <assert.h>
#include <stdlib.h>

/* Longest delay until a stop request is noticed, ns. */
#define POLL_NS 5000000

/* Shared by thread and waiter; the last of them frees it. */
struct shared {
  struct detached_call call;
  void *data;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool done, left; /* `run` has returned; the waiter has abandoned the call */
};

/* ---- those left behind ----------------------------------------------------------------------- */

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  unsigned count;
} out = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

unsigned detached_calls_running(void) {
  pthread_mutex_lock(&out.mutex);
  unsigned count = out.count;
  pthread_mutex_unlock(&out.mutex);
  return count;
}

void detached_calls_wait(void) {
  pthread_mutex_lock(&out.mutex);
  while (out.count)
    pthread_cond_wait(&out.changed, &out.mutex);
  pthread_mutex_unlock(&out.mutex);
}

static void wait_at_exit(void) { atexit(detached_calls_wait); }

static void count_one(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, wait_at_exit);
  pthread_mutex_lock(&out.mutex);
  out.count++;
  pthread_mutex_unlock(&out.mutex);
}

static void discount_one(void) {
  pthread_mutex_lock(&out.mutex);
  assert(out.count > 0);
  out.count--;
  pthread_cond_broadcast(&out.changed);
  pthread_mutex_unlock(&out.mutex);
}

/* ---- one ------------------------------------------------------------------------------------- */

static struct shared *shared_create(const struct detached_call *call, void *data) {
  struct shared *shared = mem_alloc(sizeof *shared);
  if (!shared)
    return NULL;
  shared->call = *call;
  shared->data = data;
  pthread_mutex_init(&shared->mutex, NULL);
  thread_condition(&shared->changed);
  return shared;
}

static void shared_free(struct shared *shared) {
  pthread_cond_destroy(&shared->changed);
  pthread_mutex_destroy(&shared->mutex);
  mem_free(shared);
}

static void *thread_main(void *data) {
  struct shared *shared = data;
  shared->call.run(shared->data);
  pthread_mutex_lock(&shared->mutex);
  bool left = shared->left;
  shared->done = true;
  pthread_cond_signal(&shared->changed);
  pthread_mutex_unlock(&shared->mutex);
  if (left) {
    shared->call.drop(shared->data);
    shared_free(shared);
    discount_one();
  }
  return NULL;
}

/* Polls, because a stop request is a flag set by a signal handler, which cannot wake a thread. */
static bool wait_for(struct shared *shared, const struct stop *stop) {
  pthread_mutex_lock(&shared->mutex);
  while (!shared->done && !stop_requested(stop)) {
    thread_wait(&shared->changed, &shared->mutex, POLL_NS);
    stop_call_waiting(stop);
  }
  bool done = shared->done;
  shared->left = !done;
  if (!done)
    count_one(); /* while the thread cannot have finished yet */
  pthread_mutex_unlock(&shared->mutex);
  return done;
}

bool detached_call_run(const struct detached_call *call, void *data, const struct stop *stop) {
  struct shared *shared = shared_create(call, data);
  pthread_t thread;
  if (!shared || !thread_start(&thread, thread_main, shared)) {
    if (shared)
      shared_free(shared);
    call->run(data);
    return true;
  }
  if (!wait_for(shared, stop)) {
    pthread_detach(thread);
    return false;
  }
  pthread_join(thread, NULL);
  shared_free(shared);
  return true;
}
