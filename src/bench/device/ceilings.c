/* Limits of the CPU's memory: reads and compare-and-swaps at random places, by all threads. Places are prefetched in
   batches, as the tables do. */
#include "base/splitmix64.h"
#include "bench/device/cpu.h"
#include "core/mem.h"
#include "core/system/clock.h"

#include <string.h>

enum { LINE = 64, BATCH = 64, ROUNDS = 3 };
#define ACCESSES (UINT64_C(1) << 21) /* per round, by all threads */

struct probing {
  struct segments segments;
  unsigned char *memory;
  uint64_t lines, seed;
  enum bench_access access;
  atomic_uint_fast64_t sink; /* prevents the compiler from removing the reads */
};

static uint64_t random_line(const struct probing *probing, uint64_t i) {
  const uint64_t z = splitmix64_mix((probing->seed + i) * UINT64_C(0x9e3779b97f4a7c15));
  return (uint64_t)((unsigned __int128)z * probing->lines >> 64);
}

static uint64_t read_line(const unsigned char *line) {
  const uint64_t *words = (const uint64_t *)line;
  uint64_t sum = 0;
  for (unsigned i = 0; i < LINE / sizeof *words; i++)
    sum ^= __atomic_load_n(words + i, __ATOMIC_RELAXED);
  return sum;
}

/* Relaxed, as in the tables: only the word is published. */
#define SWAP(type, line)                                                                                               \
  do {                                                                                                                 \
    type seen_ = 0;                                                                                                    \
    __atomic_compare_exchange_n((type *)(line), &seen_, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                 \
  } while (0)

static uint64_t access_line(enum bench_access access, unsigned char *line) {
  switch (access) {
  case BENCH_READ:
    return read_line(line);
  case BENCH_SWAP_16:
    SWAP(uint16_t, line);
    break;
  case BENCH_SWAP_32:
    SWAP(uint32_t, line);
    break;
  case BENCH_SWAP_64:
    SWAP(uint64_t, line);
    break;
  case BENCH_ACCESSES:
    break;
  }
  return 0;
}

static void probe_pieces(void *user, unsigned member) {
  (void)member;
  struct probing *probing = user;
  uint64_t sum = 0;
  for (uint64_t from, to; segments_next(&probing->segments, &from, &to);)
    for (uint64_t at = from; at < to; at += BATCH) {
      unsigned char *lines[BATCH];
      for (unsigned i = 0; i < BATCH; i++) {
        lines[i] = probing->memory + random_line(probing, at + i) * LINE;
        if (probing->access == BENCH_READ)
          __builtin_prefetch(lines[i], 0, 3);
        else
          __builtin_prefetch(lines[i], 1, 3);
      }
      for (unsigned i = 0; i < BATCH; i++)
        sum ^= access_line(probing->access, lines[i]);
    }
  atomic_fetch_xor_explicit(&probing->sink, sum, memory_order_relaxed);
}

/* Accesses a second: the best of some rounds, because disturbances only make memory slower. */
static double best_rate(struct bench_engine *engine, unsigned char *memory, uint64_t footprint,
                        enum bench_access access) {
  double best = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    struct probing probing = {.segments = {.end = ACCESSES, .size = ACCESSES / 256},
                              .memory = memory,
                              .lines = footprint / LINE,
                              .seed = (access * ROUNDS + round) * ACCESSES,
                              .access = access};
    double start = clock_seconds();
    pool_run(engine->pool, probe_pieces, &probing);
    double rate = (double)ACCESSES / (clock_seconds() - start);
    best = rate > best ? rate : best;
  }
  return best;
}

/* All memory of the CPU device is the host's. */
floe_status bench_cpu_ceilings(struct bench_engine *engine, enum bench_place place, uint64_t footprint, unsigned needed,
                               struct bench_ceilings *out) {
  (void)place;
  footprint = (footprint + LINE - 1) / LINE * LINE;
  footprint = footprint ? footprint : LINE;
  unsigned char *memory = pages_alloc(footprint);
  if (!memory)
    return FLOE_ERROR_MEMORY;
  memset(memory, 0, footprint); /* allocates the pages */
  out->footprint = footprint;
  for (unsigned i = 0; i < BENCH_ACCESSES; i++) /* swaps need words of zero or one: both are equally good */
    if (needed >> i & 1)
      out->rates[i] = best_rate(engine, memory, footprint, (enum bench_access)i);
  pages_free(memory, footprint);
  return FLOE_OK;
}
