/* States on disk: read back as written, by any threads, in any order; a damaged or full disk is logged. */
#include "core/mem.h"
#include "engine/disk/byte_planes.h"
#include "engine/disk/free_extents.h"
#include "engine/disk/spool.h"
#include "tests/suite.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static floe_log *messages;

static uint64_t chance(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

/* ---- free extents ---------------------------------------------------------------------------- */

#define UNITS 300

/* Reference allocator on an array of units, each used or free. */
static size_t first_fit(const char *taken, size_t units) {
  size_t run = 0;
  for (size_t i = 0; i < UNITS; i++) {
    run = taken[i] ? 0 : run + 1;
    if (run == units)
      return i + 1 - units;
  }
  ck_abort_msg("no room in the model");
}

static size_t end_of_extents(const char *taken) {
  size_t end = UNITS;
  while (end > 0 && !taken[end - 1])
    end--;
  return end;
}

static void check_places(const struct extents *extents, const char *taken) {
  ck_assert_uint_eq(extents->end, end_of_extents(taken));
  uint64_t at = 0;
  for (size_t i = 0; i < extents->count; i++) {
    ck_assert(extents->free[i].bytes > 0 && (i == 0 || extents->free[i].at > at));
    for (; at < extents->free[i].at; at++)
      ck_assert(taken[at]);
    for (; at < extents->free[i].at + extents->free[i].bytes; at++)
      ck_assert(!taken[at]);
  }
  for (; at < extents->end; at++)
    ck_assert(taken[at]);
}

START_TEST(test_extents) {
  struct extents extents = {0};
  struct extent kept[20] = {{0}};
  char taken[UNITS] = {0};
  uint64_t seed = 1 + (uint64_t)_i;
  for (int step = 0; step < 3000; step++) {
    struct extent *one = &kept[chance(&seed) % 20];
    if (one->bytes) {
      ck_assert(extents_release(&extents, one->at, one->bytes));
      memset(taken + one->at, 0, one->bytes);
      one->bytes = 0;
    } else {
      one->bytes = 1 + chance(&seed) % 9;
      one->at = extents_allocate(&extents, one->bytes);
      ck_assert_uint_eq(one->at, first_fit(taken, one->bytes));
      memset(taken + one->at, 1, one->bytes);
    }
    check_places(&extents, taken);
  }
  extents_free(&extents);
}
END_TEST

/* ---- blocks ---------------------------------------------------------------------------------- */

#define MOST 5000
#define MOST_WORDS 3

/* Similar to the states of a level, all random, or all equal. */
static void fill(uint64_t *states, size_t words, uint64_t seed) {
  const uint64_t kind = seed % 3;
  for (size_t i = 0; i < words; i++)
    states[i] = kind == 0 ? 0x123456789abcULL ^ (chance(&seed) & 0x700000f) : kind == 1 ? chance(&seed) : 77;
}

static struct spool *spool_of(uint32_t words, size_t most, struct spool_config config) {
  struct spool *spool;
  config.words = words;
  config.most = most;
  ck_assert_int_eq(spool_create(&config, &spool), FLOE_OK);
  return spool;
}

static struct spool_context *context_of(struct spool *spool) {
  struct spool_context *context;
  ck_assert_int_eq(spool_context_create(spool, &context), FLOE_OK);
  return context;
}

static const struct spool_config configs[] = {{.level = SPOOL_LEVEL},
                                              {.level = -5},
                                              {.plain = true},
                                              {.level = 3, .cached = true},
                                              {.plain = true, .cached = true}};
#define CONFIGS ((int)(sizeof configs / sizeof *configs))

START_TEST(test_planes) {
  static uint64_t states[MOST * MOST_WORDS], back[MOST * MOST_WORDS];
  static uint8_t planes[sizeof states];
  for (uint32_t words = 1; words <= MOST_WORDS; words++)
    for (size_t count = 1; count <= MOST; count = count * 3 + 1) {
      uint64_t before[MOST_WORDS] = {0};
      const struct byte_planes row = {planes, count, words, before};
      const size_t first = count / 3;
      fill(states, count * words, count);
      byte_planes_split(&row, states, first, 0);
      byte_planes_split(&row, states + first * words, count - first, first);
      ck_assert(memcmp(before, states + (count - 1) * words, words * sizeof *before) == 0);
      memset(before, 0, sizeof before);
      byte_planes_join(&row, 0, first, back);
      byte_planes_join(&row, first, count - first, back + first * words);
      ck_assert(memcmp(states, back, count * words * sizeof *states) == 0);
    }
}
END_TEST

struct seen {
  uint64_t *states;
  size_t words, count;
};

static void compare_states(void *user, const uint64_t *states, size_t n) {
  struct seen *seen = user;
  memcpy(seen->states + seen->count * seen->words, states, n * seen->words * sizeof *states);
  seen->count += n;
}

/* Blocks of any size and spans, read in another order; space of released blocks is reused. */
START_TEST(test_blocks) {
  enum { BLOCKS = 30, ROUNDS = 6 };
  static uint64_t states[BLOCKS][MOST * MOST_WORDS], back[MOST * MOST_WORDS];
  const uint32_t words = 1 + (uint32_t)_i % MOST_WORDS;
  struct spool *spool = spool_of(words, MOST, configs[_i % CONFIGS]);
  struct spool_context *context = context_of(spool), *other = context_of(spool);
  struct spool_block blocks[BLOCKS];
  uint64_t seed = 5 + (uint64_t)_i;
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t b = 0; b < BLOCKS; b++) {
      const size_t count = 1 + chance(&seed) % MOST, first = chance(&seed) % count;
      fill(states[b], count * words, b + (uint64_t)round);
      const struct spool_span spans[] = {{states[b], first}, {states[b] + first * words, count - first}};
      ck_assert_int_eq(spool_write(context, spans, 2, &blocks[b]), FLOE_OK);
      ck_assert_uint_eq(blocks[b].states, count);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
      const size_t b = (i * 7 + 3) % BLOCKS; /* 7 and 30 have no common divisor */
      ck_assert_int_eq(spool_read(other, &blocks[b], back), FLOE_OK);
      ck_assert(memcmp(states[b], back, blocks[b].states * words * sizeof *back) == 0);
      struct seen seen = {.states = back, .words = words};
      memset(back, 0, sizeof back);
      ck_assert_int_eq(spool_visit(context, &blocks[b], compare_states, &seen), FLOE_OK);
      ck_assert_uint_eq(seen.count, blocks[b].states);
      ck_assert(memcmp(states[b], back, blocks[b].states * words * sizeof *back) == 0);
      spool_release(spool, &blocks[b]);
    }
  }
  const struct spool_statistics figures = spool_statistics(spool);
  ck_assert_uint_eq(figures.blocks, BLOCKS * ROUNDS);
  ck_assert_uint_eq(figures.read, 2 * figures.written);
  ck_assert_uint_le(figures.most, BLOCKS * (MOST * words * sizeof(uint64_t) + 4096));
  ck_assert_uint_lt(figures.most, figures.written / 3);
  struct stat status;
  ck_assert_int_eq(fstat(spool_file(spool), &status), 0);
  ck_assert_uint_le((uint64_t)status.st_size, figures.most);
  ck_assert_uint_eq(status.st_nlink, 0);
  spool_report_error(spool, messages);
  ck_assert_uint_eq(floe_log_count(messages), 0);
  spool_context_free(context);
  spool_context_free(other);
  spool_free(spool);
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------- */

#define THREADS 4
#define EACH 60

struct many {
  struct spool *spool;
  struct spool_block blocks[THREADS * EACH];
  atomic_uint ticket;
};

static void *write_many(void *data) {
  struct many *many = data;
  struct spool_context *context = context_of(many->spool);
  static _Thread_local uint64_t states[MOST];
  for (unsigned i; (i = atomic_fetch_add(&many->ticket, 1)) < THREADS * EACH;) {
    const size_t count = 1 + (i * 97) % MOST;
    fill(states, count, i);
    ck_assert_int_eq(spool_write(context, &(struct spool_span){states, count}, 1, &many->blocks[i]), FLOE_OK);
  }
  spool_context_free(context);
  return NULL;
}

/* While other threads read, half of the blocks are written again. */
static void *read_many(void *data) {
  struct many *many = data;
  struct spool_context *context = context_of(many->spool);
  static _Thread_local uint64_t states[MOST], back[MOST];
  for (unsigned i; (i = atomic_fetch_add(&many->ticket, 1)) < THREADS * EACH;) {
    const size_t count = 1 + (i * 97) % MOST;
    fill(states, count, i);
    for (unsigned turn = 0; turn <= i % 2; turn++) {
      ck_assert_uint_eq(many->blocks[i].states, count);
      ck_assert_int_eq(spool_read(context, &many->blocks[i], back), FLOE_OK);
      ck_assert(memcmp(states, back, count * sizeof *back) == 0);
      spool_release(many->spool, &many->blocks[i]);
      if (turn < i % 2)
        ck_assert_int_eq(spool_write(context, &(struct spool_span){back, count}, 1, &many->blocks[i]), FLOE_OK);
    }
  }
  spool_context_free(context);
  return NULL;
}

static void run_threads(void *(*work)(void *), struct many *many) {
  pthread_t threads[THREADS];
  atomic_store(&many->ticket, 0);
  for (size_t i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, work, many), 0);
  for (size_t i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

START_TEST(test_threads) {
  static struct many many;
  many.spool = spool_of(1, MOST, configs[_i]);
  run_threads(write_many, &many);
  run_threads(read_many, &many);
  ck_assert_uint_eq(spool_statistics(many.spool).blocks, THREADS * EACH * 3 / 2);
  spool_free(many.spool);
}
END_TEST

/* ---- errors ---------------------------------------------------------------------------------- */

static void expect_report(struct spool *spool, floe_severity severity, const char *words) {
  spool_report_error(spool, messages);
  ck_assert_uint_eq(floe_log_count(messages), 1);
  const floe_message *message = floe_log_at(messages, 0);
  ck_assert_int_eq(message->severity, severity);
  ck_assert_msg(strstr(message->message, words) != NULL, "%s", message->message);
}

/* Flips a bit of a byte; in whole sectors, as for direct writes. */
static void flip(int file, uint64_t at, uint32_t byte) {
  _Alignas(4096) static uint8_t sector[4096];
  ck_assert_int_eq(pread(file, sector, sizeof sector, (off_t)at), sizeof sector);
  sector[byte] ^= (uint8_t)(1 << byte % 8);
  ck_assert_int_eq(pwrite(file, sector, sizeof sector, (off_t)at), sizeof sector);
}

/* Each damaged byte of a block, compressed or not, is detected. */
START_TEST(test_damaged) {
  uint64_t states[40], back[40];
  struct spool *spool = spool_of(1, 40, configs[_i % CONFIGS]);
  struct spool_context *context = context_of(spool);
  struct spool_block block;
  fill(states, 40, (uint64_t)_i / CONFIGS);
  ck_assert_int_eq(spool_write(context, &(struct spool_span){states, 40}, 1, &block), FLOE_OK);
  for (uint32_t i = 0; i < block.stored; i++) {
    flip(spool_file(spool), block.at, i);
    ck_assert_int_eq(spool_read(context, &block, back), FLOE_ERROR_IO);
    flip(spool_file(spool), block.at, i);
  }
  ck_assert_int_eq(spool_read(context, &block, back), FLOE_OK);
  ck_assert(memcmp(states, back, sizeof back) == 0);
  expect_report(spool, FLOE_ERROR, "is damaged: it differs from what was written");
  spool_context_free(context);
  spool_free(spool);
}
END_TEST

/* An intact but different block in the same place is rejected. */
START_TEST(test_stale) {
  uint64_t states[MOST], back[MOST];
  struct spool *spool = spool_of(1, MOST, configs[_i]);
  struct spool_context *context = context_of(spool);
  struct spool_block first, second;
  fill(states, MOST, 0);
  ck_assert_int_eq(spool_write(context, &(struct spool_span){states, MOST}, 1, &first), FLOE_OK);
  states[7]++;
  spool_release(spool, &first);
  ck_assert_int_eq(spool_write(context, &(struct spool_span){states, MOST}, 1, &second), FLOE_OK);
  ck_assert_uint_eq(first.at, second.at);
  ck_assert_int_eq(spool_read(context, &second, back), FLOE_OK);
  ck_assert_int_eq(spool_read(context, &first, back), FLOE_ERROR_IO);
  expect_report(spool, FLOE_ERROR, "is damaged: it differs from what was written");
  spool_context_free(context);
  spool_free(spool);
}
END_TEST

START_TEST(test_truncated) {
  uint64_t states[MOST], back[MOST];
  struct spool *spool = spool_of(1, MOST, configs[_i]);
  struct spool_context *context = context_of(spool);
  struct spool_block block;
  fill(states, MOST, 1);
  ck_assert_int_eq(spool_write(context, &(struct spool_span){states, MOST}, 1, &block), FLOE_OK);
  ck_assert_int_eq(ftruncate(spool_file(spool), 4096), 0);
  ck_assert_int_eq(spool_read(context, &block, back), FLOE_ERROR_IO);
  expect_report(spool, FLOE_ERROR, "cannot be read: the file is too short");
  spool_context_free(context);
  spool_free(spool);
}
END_TEST

static void limit_file_size(rlim_t bytes) {
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes;
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A full disk rejects the block that does not fit: earlier blocks stay, and released space is reused. */
START_TEST(test_full) {
  uint64_t states[MOST], back[MOST];
  struct spool *spool = spool_of(1, MOST, configs[_i]);
  struct spool_context *context = context_of(spool);
  struct spool_block blocks[10], more;
  unsigned count = 0;
  fill(states, MOST, 1); /* random: 40,000 bytes in all forms */
  limit_file_size(100 << 10);
  while (count < 10 && spool_write(context, &(struct spool_span){states, MOST}, 1, &blocks[count]) == FLOE_OK)
    count++;
  ck_assert_uint_eq(count, 2);
  ck_assert_int_eq(spool_write(context, &(struct spool_span){states, MOST}, 1, &more), FLOE_ERROR_MEMORY);
  spool_release(spool, &blocks[0]);
  ck_assert_int_eq(spool_write(context, &(struct spool_span){states, MOST}, 1, &blocks[0]), FLOE_OK);
  for (unsigned i = 0; i < count; i++) {
    ck_assert_int_eq(spool_read(context, &blocks[i], back), FLOE_OK);
    ck_assert(memcmp(states, back, sizeof back) == 0);
  }
  limit_file_size(RLIM_INFINITY);
  expect_report(spool, FLOE_WARNING, "81920 bytes so far, cannot take 40960 more: File too large");
  spool_context_free(context);
  spool_free(spool);
}
END_TEST

START_TEST(test_no_folder) {
  uint64_t state = 3;
  struct spool_block block;
  struct spool *spool = spool_of(1, MOST, configs[0]);
  struct spool_context *context = context_of(spool);
  char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
  setenv("TMPDIR", "/nowhere/at/all", 1);
  ck_assert_int_eq(spool_write(context, &(struct spool_span){&state, 1}, 1, &block), FLOE_ERROR_MEMORY);
  expect_report(spool, FLOE_WARNING,
                "no temporary file for waiting states can be created in /nowhere/at/all: No such file");
  before ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR");
  free(before);
  spool_context_free(context);
  spool_free(spool);
}
END_TEST

START_TEST(test_no_memory) {
  for (long n = 1; n <= 6; n++) {
    struct spool *spool = NULL;
    struct spool_context *context = NULL;
    struct spool_config config = configs[0];
    config.words = 1;
    config.most = MOST;
    mem_fail_after(n);
    floe_status status = spool_create(&config, &spool);
    if (status == FLOE_OK)
      status = spool_context_create(spool, &context);
    mem_fail_after(0);
    ck_assert_int_eq(status == FLOE_OK, context != NULL);
    ck_assert(status == FLOE_OK || status == FLOE_ERROR_MEMORY);
    spool_context_free(context);
    spool_free(spool);
  }
}
END_TEST

static void setup(void) { ck_assert_int_eq(floe_log_create(&messages), FLOE_OK); }

static void teardown(void) {
  floe_log_free(messages);
  ck_assert_uint_eq(mem_live(), 0);
}

int main(void) {
  TCase *test = tcase_create("spool");
  tcase_add_checked_fixture(test, setup, teardown);
  tcase_set_timeout(test, 60);
  tcase_add_loop_test(test, test_extents, 0, 5);
  tcase_add_test(test, test_planes);
  tcase_add_loop_test(test, test_blocks, 0, 3 * CONFIGS);
  tcase_add_loop_test(test, test_threads, 0, CONFIGS);
  tcase_add_loop_test(test, test_damaged, 0, 3 * CONFIGS);
  tcase_add_loop_test(test, test_stale, 0, CONFIGS);
  tcase_add_loop_test(test, test_truncated, 0, CONFIGS);
  tcase_add_loop_test(test, test_full, 0, CONFIGS);
  add_tests(test, test_no_folder, test_no_memory);
  return run_suite("spool", CK_FORK_GETENV, test);
}
