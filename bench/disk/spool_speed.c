/* Speed and compression of states on disk. Writes the states of an order file in blocks, repeatedly up to the
   requested size, reads them back and compares them, by threads without other work.

       spool_speed ORDER-FILE THREADS MEBIBYTES ROUNDS

   Prints one line for each setting, medians of the rounds: states in GB/s of memory and of disk. */
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/disk/spool.h"
#include "floe.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK ((size_t)1 << 16) /* states, as in the engines */
#define MOST_ROUNDS 99

static struct {
  uint64_t *states; /* [count] */
  size_t count;
  unsigned threads, rounds;
  size_t blocks;
  struct spool *spool;
  struct spool_block *block; /* [blocks] */
  bool reading;
  atomic_size_t ticket;
  atomic_bool failed;
} bench;

static const uint64_t *states_of(size_t block) { return bench.states + block * BLOCK % (bench.count / BLOCK * BLOCK); }

static void read_states(const char *path, floe_log *log) {
  floe_order *order;
  size_t got = 1;
  if (floe_order_open(path, log, &order) != FLOE_OK)
    exit(99);
  const floe_order_info *info = floe_order_information(order);
  bench.states = mem_array(info->count + 1, sizeof *bench.states);
  while (bench.states && got > 0) {
    if (floe_order_read(order, bench.states + bench.count, info->count - bench.count, &got) != FLOE_OK)
      exit(99);
    bench.count += got;
  }
  floe_order_close(order);
  if (bench.count < BLOCK) {
    fprintf(stderr, "spool_speed: %s has fewer than %zu states\n", path, BLOCK);
    exit(99);
  }
}

static bool do_block(struct spool_context *lane, size_t i, uint64_t *back) {
  if (!bench.reading)
    return spool_write(lane, &(struct spool_span){states_of(i), BLOCK}, 1, &bench.block[i]) == FLOE_OK;
  return spool_read(lane, &bench.block[i], back) == FLOE_OK && memcmp(back, states_of(i), BLOCK * sizeof *back) == 0;
}

static void *work(void *unused) {
  struct spool_context *lane;
  uint64_t *back = pages_alloc(BLOCK * sizeof *back);
  (void)unused;
  if (!back || spool_context_create(bench.spool, &lane) != FLOE_OK)
    exit(99);
  for (size_t i; (i = atomic_fetch_add(&bench.ticket, 1)) < bench.blocks;)
    if (!do_block(lane, i, back))
      atomic_store(&bench.failed, true);
  spool_context_free(lane);
  pages_free(back, BLOCK * sizeof *back);
  return NULL;
}

/* Elapsed seconds for all blocks. */
static double run(bool reading) {
  pthread_t threads[256];
  const double begin = clock_seconds();
  bench.reading = reading;
  atomic_store(&bench.ticket, 0);
  for (unsigned i = 0; i < bench.threads; i++)
    if (pthread_create(&threads[i], NULL, work, NULL) != 0)
      exit(99);
  for (unsigned i = 0; i < bench.threads; i++)
    pthread_join(threads[i], NULL);
  return clock_seconds() - begin;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, unsigned count) {
  qsort(values, count, sizeof *values, by_size);
  return values[count / 2];
}

static void measure(struct spool_config config, floe_log *log) {
  double out[MOST_ROUNDS], in[MOST_ROUNDS];
  char level[16];
  struct spool_statistics figures;
  config.words = 1;
  config.most = BLOCK;
  for (unsigned round = 0; round < bench.rounds; round++) {
    if (spool_create(&config, &bench.spool) != FLOE_OK)
      exit(99);
    out[round] = run(false);
    in[round] = run(true);
    figures = spool_statistics(bench.spool);
    spool_report_error(bench.spool, log);
    spool_free(bench.spool);
  }
  snprintf(level, sizeof level, config.plain ? "none" : "%d", config.level);
  const double bytes = (double)bench.blocks * BLOCK * 8, stored = (double)figures.written;
  const double written = median(out, bench.rounds), read = median(in, bench.rounds);
  printf("%-6s %5s  ratio %7.2f  written %6.3f GB/s, to disk %6.3f  read %6.3f GB/s, from disk %6.3f%s\n",
         config.cached ? "cached" : "direct", level, bytes / stored, 1e-9 * bytes / written, 1e-9 * stored / written,
         1e-9 * bytes / read, 1e-9 * stored / read, atomic_load(&bench.failed) ? "  FAILED" : "");
  fflush(stdout);
}

int main(int count, char **arguments) {
  static const struct spool_config configs[] = {
      {.plain = true}, {.plain = true, .cached = true}, {.level = -5}, {.level = -1},
      {.level = 1},    {.level = 1, .cached = true},    {.level = 3}};
  floe_log *log;
  if (count != 5 || floe_log_create(&log) != FLOE_OK)
    return 2;
  read_states(arguments[1], log);
  bench.threads = (unsigned)strtoul(arguments[2], NULL, 10);
  bench.blocks = (strtoul(arguments[3], NULL, 10) << 20) / (BLOCK * 8);
  bench.rounds = (unsigned)strtoul(arguments[4], NULL, 10);
  if (bench.threads == 0 || bench.threads > 256 || bench.blocks == 0 || bench.rounds == 0 || bench.rounds > MOST_ROUNDS)
    return 2;
  bench.block = mem_array(bench.blocks, sizeof *bench.block);
  for (size_t i = 0; bench.block && i < sizeof configs / sizeof *configs; i++)
    measure(configs[i], log);
  for (size_t i = 0; i < floe_log_count(log); i++)
    fprintf(stderr, "%s\n", floe_log_at(log, i)->message);
  return atomic_load(&bench.failed) || !bench.block;
}
