/* Speed of the visited set: find-or-put with every key five times on average, in random order.

       bench_table [-t THREADS] [-b MEGABYTES] [-w SLOT_BITS] [-s BUCKET_SLOTS] [-f FILL] [-i SIMD] [-p PERMUTATION]
                   [-c SCHEME]
       bench_table -k KEY_BITS -n KEYS [...]   the table that floe chooses for so many keys of that width

   Prints million operations a second of all threads: the filling run, find of present keys, find of absent keys, and
   generating the keys alone. The time is the processor time of the slowest thread: on an idle machine it equals the
   elapsed time, on a busy one it is the better measure. bench_table_no_prefetch is the same without prefetch. */
#include "base/splitmix64.h"
#include "tables/table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 256, MAX_THREADS = 64, REPEATS = 5 };

static double thread_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum work { MAKE_KEYS, FIND_OR_PUT, FIND_PRESENT, FIND_ABSENT };

struct job {
  struct table *table;
  enum work work;
  uint64_t first, count, distinct;
  unsigned key_bits;
  uint64_t found, full;
  double seconds;
};

static uint64_t random_word(uint64_t i) { return splitmix64_mix(i * UINT64_C(0x9e3779b97f4a7c15)); }

/* Keys are numbers below `distinct`, spread over the key's width by an odd factor; absent keys have higher numbers. */
static void make_keys(const struct job *job, uint64_t at, uint64_t *keys) {
  const uint64_t mask = UINT64_MAX >> (64 - job->key_bits);
  const uint64_t base = job->work == FIND_ABSENT ? job->distinct : 0;
  for (unsigned i = 0; i < BATCH; i++) {
    uint64_t number = (random_word(at + i) >> 32) * job->distinct >> 32;
    keys[i] = (base + number) * UINT64_C(0x2545f4914f6cdd1d) & mask;
  }
}

static void *run_job(void *argument) {
  struct job *job = argument;
  uint64_t keys[BATCH];
  uint8_t answers[BATCH];
  memset(answers, 0, sizeof answers);
  double start = thread_time();
  for (uint64_t at = 0; at < job->count; at += BATCH) {
    make_keys(job, job->first + at, keys);
    if (job->work == FIND_OR_PUT)
      job->full += table_find_or_put(job->table, keys, BATCH, answers);
    else if (job->work != MAKE_KEYS)
      table_find(job->table, keys, BATCH, answers);
    else
      answers[0] ^= (uint8_t)keys[at / BATCH % BATCH];
    job->found += answers[0];
  }
  job->seconds = thread_time() - start;
  return NULL;
}

/* Million operations a second of all threads together. */
static double measure(struct table *table, enum work work, uint64_t count, uint64_t distinct, unsigned threads) {
  pthread_t thread[MAX_THREADS];
  struct job job[MAX_THREADS];
  for (unsigned t = 0; t < threads; t++) {
    job[t] = (struct job){.table = table, .work = work, .first = count / threads * t};
    job[t].count = count / threads;
    job[t].distinct = distinct;
    job[t].key_bits = table_shape(table)->key_bits;
    pthread_create(&thread[t], NULL, run_job, &job[t]);
  }
  uint64_t full = 0;
  double seconds = 0;
  for (unsigned t = 0; t < threads; t++) {
    pthread_join(thread[t], NULL);
    full += job[t].full;
    seconds = job[t].seconds > seconds ? job[t].seconds : seconds;
  }
  if (full)
    printf("(%llu keys refused) ", (unsigned long long)full);
  return (double)count / seconds / 1e6;
}

struct setting {
  struct table_config config;
  uint64_t keys; /* 0: given by megabytes */
  double megabytes, fill;
  unsigned threads;
};

static bool read_setting(int argc, char **argv, struct setting *s) {
  for (int option; (option = getopt(argc, argv, "t:b:w:s:f:i:p:k:n:c:")) != -1;)
    switch (option) {
    case 't':
      s->threads = (unsigned)atoi(optarg);
      break;
    case 'b':
      s->megabytes = atof(optarg);
      break;
    case 'w':
      s->config.slot_bits = (unsigned)atoi(optarg);
      break;
    case 's':
      s->config.bucket_slots = (unsigned)atoi(optarg);
      break;
    case 'f':
      s->fill = atof(optarg);
      break;
    case 'i':
      s->config.simd = optarg;
      break;
    case 'p':
      s->config.permutation = optarg;
      break;
    case 'c':
      s->config.scheme = optarg;
      break;
    case 'k':
      s->config.key_bits = (unsigned)atoi(optarg);
      break;
    case 'n':
      s->keys = strtoull(optarg, NULL, 10);
      break;
    default:
      return false;
    }
  return s->threads >= 1 && s->threads <= MAX_THREADS && s->megabytes > 0 && s->fill > 0 &&
         (s->keys > 0) == (s->config.key_bits > 0);
}

/* As many slots as the requested bytes allow, and keys as wide as the primary slots then hold. */
static bool size_table(struct setting *s) {
  struct table_shape chosen;
  if (s->keys) {
    s->config.packed = true;
    s->config.slots = (uint64_t)((double)s->keys / TABLE_FILL);
    if (table_plan(&s->config, &chosen) != FLOE_OK)
      return false;
    s->fill = (double)s->keys / (double)chosen.slots;
    return true;
  }
  if (!s->config.slot_bits)
    s->config.slot_bits = 16;
  if (!s->config.bucket_slots && !(s->config.scheme && strcmp(s->config.scheme, "linear") == 0))
    s->config.bucket_slots = s->config.slot_bits == 64 ? 16 : s->config.slot_bits == 21 ? 24 : 32;
  unsigned bits = s->config.slot_bits;
  s->config.slots = (uint64_t)(s->megabytes * 1048576 * 8 / bits * 0.9);
  for (s->config.key_bits = 64; s->config.key_bits > 1; s->config.key_bits--) {
    struct table_shape shape;
    if (table_plan(&s->config, &shape) == FLOE_OK)
      return true;
  }
  return false;
}

int main(int argc, char **argv) {
  struct setting s = {.megabytes = 8, .fill = 0.8, .threads = 1};
  if (!read_setting(argc, argv, &s) || !size_table(&s)) {
    fprintf(stderr,
            "usage: %s [-t THREADS] [-b MEGABYTES] [-w SLOT_BITS] [-s BUCKET_SLOTS] "
            "[-f FILL] [-i SIMD] [-p PERMUTATION] [-c SCHEME] [-k KEY_BITS -n KEYS]\n",
            argv[0]);
    return 2;
  }
  struct table *table;
  if (table_create(&s.config, &table) != FLOE_OK) {
    fprintf(stderr, "%s: no memory, or no such form\n", argv[0]);
    return 2;
  }
  const struct table_shape *shape = table_shape(table);
  uint64_t distinct = (uint64_t)((double)shape->slots * s.fill / 0.9933); /* 1 - exp(-5) of them are drawn */
  uint64_t count = distinct * REPEATS / (BATCH * s.threads) * (BATCH * s.threads);
  printf("%s, %u threads, %.1f MB, %u/%u bit slots, %u/%u slots a bucket, %u-bit keys: ", table_simd(table), s.threads,
         (double)shape->bytes / 1048576, shape->slot_bits, shape->second_slot_bits, shape->bucket_slots,
         shape->second_bucket_slots, shape->key_bits);
  double put = measure(table, FIND_OR_PUT, count, distinct, s.threads);
  double present = measure(table, FIND_PRESENT, count, distinct, s.threads);
  double absent = measure(table, FIND_ABSENT, count, distinct, s.threads);
  double make = measure(table, MAKE_KEYS, count, distinct, s.threads);
  printf("find-or-put %.1f, present %.1f, absent %.1f, keys alone %.1f M/s, fill %.3f\n", put, present, absent, make,
         (double)table_count(table) / (double)shape->slots);
  table_free(table);
  return 0;
}
