/* Workload to compare sets on one machine: find-or-put of random keys of 40 bits, on average five for each distinct
   key, by one thread or several. The measurement includes generating the keys, which is the same for all sets. C11
   and C++. */
#ifndef FLOE_BENCH_CPU_SETS_H
#define FLOE_BENCH_CPU_SETS_H

#include "base/splitmix64.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { KEY_BITS = 40, BATCH = 256, TIMES = 5, MOST_THREADS = 64 };

/* A set for `distinct` keys. Thread `thread` of `threads` puts n keys at once; *put returns the number of new ones.
   Keys of thread t have key % threads == t, so that a set may be several sets. */
struct cpu_set {
  const char *name;
  void *(*create)(uint64_t distinct, unsigned threads);
  size_t (*put)(void *set, unsigned thread, const uint64_t *keys, size_t n);
  uint64_t (*bytes)(void *set);
  void (*destroy)(void *set);
};

static inline uint64_t cpu_sets_random(uint64_t i) { return splitmix64_mix((i + 1) * UINT64_C(0x9e3779b97f4a7c15)); }

struct cpu_sets_job {
  const struct cpu_set *kind;
  void *set;
  unsigned thread, threads;
  uint64_t first, count, distinct, fresh;
};

/* Numbers are spread over the width by an odd factor, which keeps their lowest bits. The number of threads is a
   power of two, so that no two threads share a key. */
static inline void *cpu_sets_work(void *argument) {
  struct cpu_sets_job *job = (struct cpu_sets_job *)argument;
  const uint64_t mask = (UINT64_C(1) << KEY_BITS) - 1;
  const uint64_t mine = job->distinct / job->threads;
  uint64_t keys[BATCH];
  for (uint64_t at = 0; at < job->count; at += BATCH) {
    size_t n = job->count - at < BATCH ? (size_t)(job->count - at) : BATCH;
    for (size_t i = 0; i < n; i++) {
      uint64_t number = (cpu_sets_random(job->first + at + i) >> 32) * mine >> 32;
      number = number * job->threads + job->thread;
      keys[i] = number * UINT64_C(0x2545f4914f6cdd1d) & mask;
    }
    job->fresh += job->kind->put(job->set, job->thread, keys, n);
  }
  return NULL;
}

static inline double cpu_sets_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Prints: name, million keys a second, number of new keys, bytes per key. */
static inline void cpu_sets_measure(const struct cpu_set *kind, uint64_t distinct, unsigned threads) {
  pthread_t thread[MOST_THREADS];
  struct cpu_sets_job job[MOST_THREADS];
  void *set = kind->create(distinct, threads);
  if (!set) {
    printf("%s - - -\n", kind->name);
    return;
  }
  uint64_t count = TIMES * distinct / threads, fresh = 0;
  double start = cpu_sets_now();
  for (unsigned t = 0; t < threads; t++) {
    struct cpu_sets_job one = {kind, set, t, threads, count * t, count, distinct, 0};
    job[t] = one;
    pthread_create(&thread[t], NULL, cpu_sets_work, &job[t]);
  }
  for (unsigned t = 0; t < threads; t++) {
    pthread_join(thread[t], NULL);
    fresh += job[t].fresh;
  }
  double seconds = cpu_sets_now() - start;
  printf("%s %.3f %llu %.2f\n", kind->name, (double)(count * threads) / seconds / 1e6, (unsigned long long)fresh,
         (double)kind->bytes(set) / (double)fresh);
  kind->destroy(set);
}

/* main: DISTINCT THREADS [NAME]...: those sets, or all. */
static inline int cpu_sets_main(const struct cpu_set *kinds, size_t count, int argc, char **argv) {
  uint64_t distinct = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
  unsigned long threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
  if (!distinct || distinct > UINT64_C(1) << 31 || !threads || threads > MOST_THREADS || (threads & (threads - 1))) {
    fprintf(stderr, "usage: %s KEYS [THREADS]   (a power of two)\n", argv[0]);
    return 2;
  }
  for (size_t i = 0; i < count; i++)
    cpu_sets_measure(&kinds[i], distinct, (unsigned)threads);
  return 0;
}

#endif
