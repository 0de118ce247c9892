#define _GNU_SOURCE
#include "core/thread_pool.h"

#include "core/clock.h"
#include "core/mem.h"
#include "core/thread.h"

#include <assert.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>

/* How often a waiting thread looks before it sleeps: some 30 µs, less than waking up costs. */
#define SPINS 1500

struct member {
  struct thread_pool *pool;
  pthread_t thread;
  unsigned number;
  double worked; /* seconds of the last phase */
};

struct thread_pool {
  unsigned size, spins;
  void (*work)(void *user, unsigned member);
  void *user;
  bool leave;                       /* written before `phase` moves on */
  double waited;                    /* the caller's */
  _Alignas(64) atomic_uint phase;   /* moves on when there is work */
  _Alignas(64) atomic_uint running; /* members that have not finished this phase */
  _Alignas(64) pthread_mutex_t mutex;
  pthread_cond_t begin, end;
  struct member *members; /* [size]; 0 is the caller */
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

/* Release: what the member wrote is seen by whoever finds `running` at zero. The mutex keeps the
   last member from signalling between the caller's look and its sleep. */
static void finish_phase(struct thread_pool *pool) {
  if (atomic_fetch_sub_explicit(&pool->running, 1, memory_order_acq_rel) != 1)
    return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_signal(&pool->end);
  pthread_mutex_unlock(&pool->mutex);
}

static void do_work(struct member *member) {
  double begun = clock_seconds();
  member->pool->work(member->pool->user, member->number);
  member->worked = clock_seconds() - begun;
}

static void *member_main(void *data) {
  struct member *member = data;
  struct thread_pool *pool = member->pool;
  for (unsigned phase = 0;; phase++) {
    wait_for_phase(pool, phase);
    if (pool->leave)
      return NULL;
    do_work(member);
    finish_phase(pool);
  }
}

/* The mutex makes a member either see the new phase or be asleep already when the broadcast comes. */
static void begin_phase(struct thread_pool *pool) {
  atomic_store_explicit(&pool->running, pool->size - 1, memory_order_relaxed);
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add_explicit(&pool->phase, 1, memory_order_release);
  pthread_cond_broadcast(&pool->begin);
  pthread_mutex_unlock(&pool->mutex);
}

static bool all_finished(struct thread_pool *pool) { return atomic_load_explicit(&pool->running, memory_order_acquire) == 0; }

static void wait_for_members(struct thread_pool *pool) {
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
    pool->waited += fmax(0, seconds - pool->members[i].worked); /* rounding */
}

void pool_run(struct thread_pool *pool, void (*work)(void *user, unsigned member), void *user) {
  if (pool->size == 1) {
    work(user, 0);
    return;
  }
  double begun = clock_seconds();
  pool->work = work;
  pool->user = user;
  begin_phase(pool);
  do_work(&pool->members[0]);
  wait_for_members(pool);
  account(pool, clock_seconds() - begun);
}

double pool_idle_seconds(const struct thread_pool *pool) { return pool->waited; }

static bool start_member(struct thread_pool *pool, unsigned number) {
  struct member *member = &pool->members[number];
  member->pool = pool;
  member->number = number;
  return thread_start(&member->thread, member_main, member);
}

static unsigned spins_for(unsigned threads) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) || (unsigned)CPU_COUNT(&set) < threads)
    return 1; /* more threads than cores: looking again only keeps the others from working */
  return SPINS;
}

static void start_members(struct thread_pool *pool, unsigned threads) {
  while (pool->size < threads && start_member(pool, pool->size))
    pool->size++;
}

floe_status pool_create(unsigned threads, struct thread_pool **out) {
  assert(threads >= 1);
  struct thread_pool *pool = pages_alloc(sizeof *pool); /* pages: aligned for the cache lines */
  if (!pool)
    return FLOE_ERROR_MEMORY;
  pool->members = mem_array(threads, sizeof *pool->members);
  if (!pool->members) {
    pages_free(pool, sizeof *pool);
    return FLOE_ERROR_MEMORY;
  }
  pool->spins = spins_for(threads);
  pool->members[0].pool = pool;
  pool->size = 1;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->begin, NULL);
  pthread_cond_init(&pool->end, NULL);
  start_members(pool, threads);
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
    pthread_join(pool->members[i].thread, NULL);
  pthread_cond_destroy(&pool->end);
  pthread_cond_destroy(&pool->begin);
  pthread_mutex_destroy(&pool->mutex);
  mem_free(pool->members);
  pages_free(pool, sizeof *pool);
}

unsigned pool_size(const struct thread_pool *pool) { return pool->size; }
