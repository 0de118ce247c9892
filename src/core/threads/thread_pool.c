#define _GNU_SOURCE
#include "core/threads/thread_pool.h"

#include "core/mem.h"
#include "core/system/clock.h"
#include "core/threads/thread.h"

#include <assert.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>

/* Polls of a waiting thread before it sleeps: some 30 µs, less than waking up costs. */
#define SPINS 1500

struct pool_thread {
  struct thread_pool *pool;
  pthread_t handle;
  unsigned number;
  double worked; /* seconds in the last phase */
};

struct thread_pool {
  unsigned size, spins;
  void (*work)(void *user, unsigned thread);
  void *user;
  bool leave;                       /* written before `phase` is incremented */
  double waited;                    /* idle seconds; the caller's */
  _Alignas(64) atomic_uint phase;   /* incremented when there is work */
  _Alignas(64) atomic_uint running; /* threads that have not finished this phase */
  _Alignas(64) pthread_mutex_t mutex;
  pthread_cond_t begin, end;
  struct pool_thread *threads; /* [size]; 0 is the caller */
};

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* Acquire: the phase's work, user and everything written before are seen after it. */
static bool phase_moved(struct thread_pool *pool, unsigned seen) {
  return atomic_load_explicit(&pool->phase, memory_order_acquire) != seen;
}

static void wait_for_phase(struct thread_pool *pool, unsigned seen) {
  for (unsigned i = 0; i < pool->spins; i++) {
    if (phase_moved(pool, seen))
      return;
    relax();
  }
  pthread_mutex_lock(&pool->mutex);
  while (!phase_moved(pool, seen))
    pthread_cond_wait(&pool->begin, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}

/* Release: the thread that finds `running` at zero sees what the thread wrote. The mutex prevents the last thread
   from signalling between the caller's check and its sleep. */
static void finish_phase(struct thread_pool *pool) {
  if (atomic_fetch_sub_explicit(&pool->running, 1, memory_order_acq_rel) != 1)
    return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_signal(&pool->end);
  pthread_mutex_unlock(&pool->mutex);
}

static void do_work(struct pool_thread *thread) {
  double begun = clock_seconds();
  thread->pool->work(thread->pool->user, thread->number);
  thread->worked = clock_seconds() - begun;
}

static void *thread_main(void *data) {
  struct pool_thread *thread = data;
  struct thread_pool *pool = thread->pool;
  for (unsigned phase = 0;; phase++) {
    wait_for_phase(pool, phase);
    if (pool->leave)
      return NULL;
    do_work(thread);
    finish_phase(pool);
  }
}

/* The mutex ensures that a thread either sees the new phase or is already asleep when the broadcast comes. */
static void begin_phase(struct thread_pool *pool) {
  atomic_store_explicit(&pool->running, pool->size - 1, memory_order_relaxed);
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add_explicit(&pool->phase, 1, memory_order_release);
  pthread_cond_broadcast(&pool->begin);
  pthread_mutex_unlock(&pool->mutex);
}

static bool all_finished(struct thread_pool *pool) {
  return atomic_load_explicit(&pool->running, memory_order_acquire) == 0;
}

static void wait_for_threads(struct thread_pool *pool) {
  for (unsigned i = 0; i < pool->spins; i++) {
    if (all_finished(pool))
      return;
    relax();
  }
  pthread_mutex_lock(&pool->mutex);
  while (!all_finished(pool))
    pthread_cond_wait(&pool->end, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}

static void account(struct thread_pool *pool, double seconds) {
  for (unsigned i = 0; i < pool->size; i++)
    pool->waited += fmax(0, seconds - pool->threads[i].worked); /* rounding */
}

void pool_run(struct thread_pool *pool, void (*work)(void *user, unsigned thread), void *user) {
  if (pool->size == 1) {
    work(user, 0);
    return;
  }
  double begun = clock_seconds();
  pool->work = work;
  pool->user = user;
  begin_phase(pool);
  do_work(&pool->threads[0]);
  wait_for_threads(pool);
  account(pool, clock_seconds() - begun);
}

double pool_idle_seconds(const struct thread_pool *pool) { return pool->waited; }

static bool start_thread(struct thread_pool *pool, unsigned number) {
  struct pool_thread *thread = &pool->threads[number];
  thread->pool = pool;
  thread->number = number;
  return thread_start(&thread->handle, thread_main, thread);
}

static unsigned spins_for(unsigned threads) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) || (unsigned)CPU_COUNT(&set) < threads)
    return 1; /* more threads than cores: polling only delays the others */
  return SPINS;
}

static void start_threads(struct thread_pool *pool, unsigned threads) {
  while (pool->size < threads && start_thread(pool, pool->size))
    pool->size++;
}

floe_status pool_create(unsigned threads, struct thread_pool **out) {
  assert(threads >= 1);
  struct thread_pool *pool = pages_alloc(sizeof *pool); /* pages: aligned for the cache lines */
  if (!pool)
    return FLOE_ERROR_MEMORY;
  pool->threads = mem_array(threads, sizeof *pool->threads);
  if (!pool->threads) {
    pages_free(pool, sizeof *pool);
    return FLOE_ERROR_MEMORY;
  }
  pool->spins = spins_for(threads);
  pool->threads[0].pool = pool;
  pool->size = 1;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->begin, NULL);
  pthread_cond_init(&pool->end, NULL);
  start_threads(pool, threads);
  *out = pool;
  return FLOE_OK;
}

void pool_free(struct thread_pool *pool) {
  if (!pool)
    return;
  if (pool->size > 1) {
    pool->leave = true;
    begin_phase(pool);
  }
  for (unsigned i = 1; i < pool->size; i++)
    pthread_join(pool->threads[i].handle, NULL);
  pthread_cond_destroy(&pool->end);
  pthread_cond_destroy(&pool->begin);
  pthread_mutex_destroy(&pool->mutex);
  mem_free(pool->threads);
  pages_free(pool, sizeof *pool);
}

unsigned pool_size(const struct thread_pool *pool) { return pool->size; }
