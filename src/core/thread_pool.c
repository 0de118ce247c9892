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
  struct crew *crew;
  pthread_t thread;
  unsigned number;
  double worked; /* seconds of the last phase */
};

struct crew {
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
static bool phase_moved(struct crew *crew, unsigned seen) {
  return atomic_load_explicit(&crew->phase, memory_order_acquire) != seen;
}

static void wait_for_phase(struct crew *crew, unsigned seen) {
  for (unsigned i = 0; i < crew->spins; i++) {
    if (phase_moved(crew, seen))
      return;
    relax();
  }
  pthread_mutex_lock(&crew->mutex);
  while (!phase_moved(crew, seen))
    pthread_cond_wait(&crew->begin, &crew->mutex);
  pthread_mutex_unlock(&crew->mutex);
}

/* Release: what the member wrote is seen by whoever finds `running` at zero. The mutex keeps the
   last member from signalling between the caller's look and its sleep. */
static void finish_phase(struct crew *crew) {
  if (atomic_fetch_sub_explicit(&crew->running, 1, memory_order_acq_rel) != 1)
    return;
  pthread_mutex_lock(&crew->mutex);
  pthread_cond_signal(&crew->end);
  pthread_mutex_unlock(&crew->mutex);
}

static void do_work(struct member *member) {
  double begun = clock_seconds();
  member->crew->work(member->crew->user, member->number);
  member->worked = clock_seconds() - begun;
}

static void *member_main(void *data) {
  struct member *member = data;
  struct crew *crew = member->crew;
  for (unsigned phase = 0;; phase++) {
    wait_for_phase(crew, phase);
    if (crew->leave)
      return NULL;
    do_work(member);
    finish_phase(crew);
  }
}

/* The mutex makes a member either see the new phase or be asleep already when the broadcast comes. */
static void begin_phase(struct crew *crew) {
  atomic_store_explicit(&crew->running, crew->size - 1, memory_order_relaxed);
  pthread_mutex_lock(&crew->mutex);
  atomic_fetch_add_explicit(&crew->phase, 1, memory_order_release);
  pthread_cond_broadcast(&crew->begin);
  pthread_mutex_unlock(&crew->mutex);
}

static bool all_finished(struct crew *crew) { return atomic_load_explicit(&crew->running, memory_order_acquire) == 0; }

static void wait_for_members(struct crew *crew) {
  for (unsigned i = 0; i < crew->spins; i++) {
    if (all_finished(crew))
      return;
    relax();
  }
  pthread_mutex_lock(&crew->mutex);
  while (!all_finished(crew))
    pthread_cond_wait(&crew->end, &crew->mutex);
  pthread_mutex_unlock(&crew->mutex);
}

static void account(struct crew *crew, double seconds) {
  for (unsigned i = 0; i < crew->size; i++)
    crew->waited += fmax(0, seconds - crew->members[i].worked); /* rounding */
}

void crew_run(struct crew *crew, void (*work)(void *user, unsigned member), void *user) {
  if (crew->size == 1) {
    work(user, 0);
    return;
  }
  double begun = clock_seconds();
  crew->work = work;
  crew->user = user;
  begin_phase(crew);
  do_work(&crew->members[0]);
  wait_for_members(crew);
  account(crew, clock_seconds() - begun);
}

double crew_waited(const struct crew *crew) { return crew->waited; }

static bool start_member(struct crew *crew, unsigned number) {
  struct member *member = &crew->members[number];
  member->crew = crew;
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

static void start_members(struct crew *crew, unsigned threads) {
  while (crew->size < threads && start_member(crew, crew->size))
    crew->size++;
}

floe_status crew_create(unsigned threads, struct crew **out) {
  assert(threads >= 1);
  struct crew *crew = pages_alloc(sizeof *crew); /* pages: aligned for the cache lines */
  if (!crew)
    return FLOE_ERROR_MEMORY;
  crew->members = mem_array(threads, sizeof *crew->members);
  if (!crew->members) {
    pages_free(crew, sizeof *crew);
    return FLOE_ERROR_MEMORY;
  }
  crew->spins = spins_for(threads);
  crew->members[0].crew = crew;
  crew->size = 1;
  pthread_mutex_init(&crew->mutex, NULL);
  pthread_cond_init(&crew->begin, NULL);
  pthread_cond_init(&crew->end, NULL);
  start_members(crew, threads);
  *out = crew;
  return FLOE_OK;
}

void crew_free(struct crew *crew) {
  if (!crew)
    return;
  if (crew->size > 1) {
    crew->leave = true;
    begin_phase(crew);
  }
  for (unsigned i = 1; i < crew->size; i++)
    pthread_join(crew->members[i].thread, NULL);
  pthread_cond_destroy(&crew->end);
  pthread_cond_destroy(&crew->begin);
  pthread_mutex_destroy(&crew->mutex);
  mem_free(crew->members);
  pages_free(crew, sizeof *crew);
}

unsigned crew_size(const struct crew *crew) { return crew->size; }
