/* The CPU engine with less memory than its frontier needs: the same counts, order and levels as in memory, or an
   appropriate end; a full or damaged disk is logged. */
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/cpu/cpu_search.h"
#include "engine/trace/level_archive.h"
#include "engine/visit_recorder.h"
#include "engine/visited/visited.h"
#include "tests/engine/counter_stepper.h"
#include "tests/suite.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>

#define ALL_PROPERTIES ((UINT64_C(1) << FAKE_PROPERTIES) - 1)
#define KIBIBYTE (UINT64_C(1) << 10)
#define COUNTERS 18
#define STATES (UINT64_C(1) << COUNTERS)

static floe_log *messages;
static atomic_bool interrupt;

/* Fault injection: the n-th read (1, 2, ...) fails, or returns other bytes. */
static struct {
  atomic_long reads;
  long fail, damage;
} disk;

ssize_t __real_pread(int file, void *to, size_t bytes, off_t at);
ssize_t __wrap_pread(int file, void *to, size_t bytes, off_t at);
ssize_t __wrap_pread(int file, void *to, size_t bytes, off_t at) {
  const long n = atomic_fetch_add(&disk.reads, 1) + 1;
  if (n == disk.fail) {
    errno = EIO;
    return -1;
  }
  const ssize_t got = __real_pread(file, to, bytes, at);
  if (n == disk.damage)
    ((char *)to)[100] ^= 4;
  return got;
}

static floe_options options_of(uint64_t kib, unsigned threads) {
  return (floe_options){.threads = threads,
                        .table = "iceberg",
                        .memory = kib * KIBIBYTE,
                        .expected_states = STATES,
                        .max_depth = UINT32_MAX,
                        .max_states = UINT64_MAX,
                        .progress_seconds = 1};
}

/* Counters of two values: the widest levels possible, with half of the states in three of them. */
static floe_status explore(const floe_options *options, struct archive *archive, const struct recorder *recorder,
                           struct engine_outcome *out) {
  struct fake fake;
  fake_init(&fake, COUNTERS, 2);
  struct engine_task task = {.model = &fake.model,
                             .layout = &fake.layout,
                             .initial = &fake.initial,
                             .stepper = &fake.base,
                             .options = options,
                             .property_mask = ALL_PROPERTIES,
                             .limits.interrupt = &interrupt,
                             .archive = archive,
                             .recorder = recorder,
                             .limits.started = clock_seconds()};
  return engine_run(&engine_cpu, &task, messages, out);
}

static uint64_t binomial(unsigned n, unsigned k) {
  uint64_t value = 1;
  for (unsigned i = 0; i < k; i++)
    value = value * (n - i) / (i + 1);
  return value;
}

static uint64_t sum_of_all(void) {
  static uint64_t sum;
  if (sum == 0)
    for (uint64_t state = 0; state < STATES; state++)
      sum += engine_state_mix(&state, 1);
  return sum;
}

static void check(const struct engine_outcome *outcome) {
  for (uint32_t i = 0; i < outcome->levels; i++)
    ck_assert_uint_eq(outcome->level_states[i], binomial(COUNTERS, i));
  if (outcome->end != FLOE_END_COMPLETE) {
    ck_assert(outcome->end == FLOE_END_MEMORY || outcome->end == FLOE_END_DISK);
    ck_assert_uint_le(outcome->levels - outcome->complete_depth, 2);
    return;
  }
  ck_assert_uint_eq(outcome->levels, COUNTERS + 1);
  ck_assert_uint_eq(outcome->states, STATES);
  ck_assert_uint_eq(outcome->transitions, STATES * COUNTERS);
  ck_assert_uint_eq(outcome->checksum, sum_of_all());
}

/* ---- counts ---------------------------------------------------------------------------------- */

#define RUNS (at_length() ? UINT64_C(8) : UINT64_C(4))

/* For every limit and number of threads. */
START_TEST(test_budgets) {
  const unsigned threads = 1 + (unsigned)_i;
  unsigned spilled = 0, ended = 0;
  for (uint64_t run = 0; run < RUNS; run++) {
    struct engine_outcome outcome;
    floe_options options = options_of(700 + 60 * threads + (run * 7919 + 13) % 400, threads);
    ck_assert_int_eq(explore(&options, NULL, NULL, &outcome), FLOE_OK);
    check(&outcome);
    spilled += outcome.end == FLOE_END_COMPLETE && outcome.statistics.disk_bytes > 100 * KIBIBYTE;
    ended += outcome.end == FLOE_END_MEMORY;
    engine_outcome_free(&outcome);
  }
  ck_assert_uint_ge(spilled, threads == 1 ? RUNS / 3 : 1); /* the schedule of several threads varies */
  ck_assert_uint_gt(ended, 0);
  ck_assert_uint_eq(floe_log_count(messages), 0);
}
END_TEST

/* A full table grows into memory that is freed by spilling states. */
START_TEST(test_growth) {
  static const char *const tables[] = {"iceberg", "linear"};
  unsigned forced = 0, complete = 0;
  for (uint64_t kib = 1000; kib < 2000; kib += at_length() ? 200 : 300) {
    struct engine_outcome outcome;
    floe_options options = options_of(kib, 1 + _i % 2);
    options.table = tables[_i / 2];
    options.expected_states = 0;
    options.initial_slots = 30000;
    ck_assert_int_eq(explore(&options, NULL, NULL, &outcome), FLOE_OK);
    check(&outcome);
    forced += outcome.statistics.growths > 0 && outcome.statistics.disk_bytes > 0;
    complete += outcome.end == FLOE_END_COMPLETE && outcome.statistics.disk_bytes > 0;
    engine_outcome_free(&outcome);
  }
  ck_assert(forced > 0 || _i % 2);
  ck_assert(complete > 0 || _i > 0); /* with one thread, in slots of 16 bits, the sizes are always the same */
}
END_TEST

/* ---- order and levels ------------------------------------------------------------------------ */

struct record {
  uint64_t hash, keys;
};

static void *context_of(void *user, unsigned number) {
  ck_assert_uint_eq(number, 0);
  return user;
}

static void record(void *lane_of, const uint64_t *states, const uint8_t *answers, size_t n) {
  struct record *to = lane_of;
  for (size_t i = 0; i < n; i++)
    if (answers[i] == VISITED_NEW) {
      const uint64_t word = to->hash ^ states[i];
      to->hash = engine_state_mix(&word, 1);
      to->keys++;
    }
}

static struct record order_of(const floe_options *options, uint64_t *disk_bytes) {
  struct record found = {0};
  struct engine_outcome outcome;
  const struct recorder recorder = {.user = &found, .lane = context_of, .record = record};
  ck_assert_int_eq(explore(options, NULL, &recorder, &outcome), FLOE_OK);
  check(&outcome);
  ck_assert_int_eq(outcome.end, FLOE_END_COMPLETE);
  *disk_bytes += outcome.statistics.disk_bytes;
  ck_assert_uint_eq(found.keys, STATES);
  engine_outcome_free(&outcome);
  return found;
}

/* With one thread states are found in the same order, whether they were on disk or not, and when the table grew. */
START_TEST(test_order) {
  uint64_t written = 0;
  floe_options in_memory = options_of(100000, 1), on_disk = options_of(950, 1);
  const struct record expected = order_of(&in_memory, &written);
  ck_assert_uint_eq(written, 0);
  ck_assert_uint_eq(order_of(&on_disk, &written).hash, expected.hash);
  ck_assert_uint_gt(written, 0);
  on_disk.expected_states = written = 0;
  on_disk.initial_slots = 30000;
  for (on_disk.memory = 1480 * KIBIBYTE; on_disk.memory < 1600 * KIBIBYTE; on_disk.memory += 60 * KIBIBYTE)
    ck_assert_uint_eq(order_of(&on_disk, &written).hash, expected.hash);
  ck_assert_uint_gt(written, 0);
}
END_TEST

/* ---- waiting states -------------------------------------------------------------------------- */

struct seen {
  uint64_t states, sum;
  int bits; /* per worker */
};

static void add_state(void *user, const uint64_t *states, size_t n) {
  struct seen *seen = user;
  for (size_t i = 0; i < n; i++) {
    ck_assert_int_eq(__builtin_popcountll(states[i]), seen->bits);
    seen->sum += engine_state_mix(&states[i], 1);
  }
  seen->states += n;
}

static struct seen add_states(struct cpu_search *self, floe_status (*look)(struct worker *, states_visitor *, void *),
                              int bits) {
  struct seen seen = {.bits = bits};
  for (unsigned i = 0; i < self->worker_count; i++)
    ck_assert_int_eq(look(&self->workers[i], add_state, &seen), FLOE_OK);
  return seen;
}

static unsigned looked_at_disk;

/* Between two phases of a level, when the table is full: unexpanded and expanded states together are the level;
   found ones are in the set and in no level yet. Called twice, because nothing may change. */
bool __real_growth_force(struct cpu_search *self);
bool __wrap_growth_force(struct cpu_search *self);
bool __wrap_growth_force(struct cpu_search *self) {
  const struct search *search = &self->search;
  const int depth = (int)search_depth(search);
  uint64_t before = 0, sum = 0;
  if (self->in_order) /* by a worker, within a batch */
    return __real_growth_force(self);
  for (unsigned turn = 0; turn < 2; turn++) {
    const struct seen rest = add_states(self, waiting_rest, depth), found = add_states(self, waiting_found, depth + 1);
    uint64_t expanded = cpu_transitions(self) / COUNTERS - search->levels.expanded;
    ck_assert_uint_eq(rest.states + expanded, search->levels.states[depth]);
    ck_assert_uint_eq(found.states, cpu_states(self) - search->levels.expanded - search->levels.states[depth]);
    ck_assert(turn == 0 || (rest.sum == before && found.sum == sum));
    before = rest.sum;
    sum = found.sum;
  }
  looked_at_disk += self->spill.ready;
  return __real_growth_force(self);
}

START_TEST(test_visit_waiting) {
  looked_at_disk = 0;
  for (uint64_t kib = 1000; kib < 2000; kib += at_length() ? 120 : 300) {
    struct engine_outcome outcome;
    floe_options options = options_of(kib, 1 + (unsigned)_i);
    options.expected_states = 0;
    options.initial_slots = 30000;
    ck_assert_int_eq(explore(&options, NULL, NULL, &outcome), FLOE_OK);
    check(&outcome);
    engine_outcome_free(&outcome);
  }
  ck_assert(looked_at_disk > 0 || _i > 0); /* deterministic with one thread */
}
END_TEST

/* Archived levels and the exploration do not change if some states are on disk. */
START_TEST(test_archive) {
  struct archive *archive;
  struct engine_outcome outcome;
  floe_options options = options_of(950 + 100 * (uint64_t)_i, 1 + (unsigned)_i);
  static uint64_t states[50000];
  ck_assert_int_eq(archive_create(1, 1 << 20, messages, &archive), FLOE_OK);
  ck_assert_int_eq(explore(&options, archive, NULL, &outcome), FLOE_OK);
  check(&outcome);
  ck_assert_int_eq(outcome.end, FLOE_END_COMPLETE);
  ck_assert_uint_gt(outcome.statistics.disk_bytes, 0);
  ck_assert_uint_eq(archive_levels(archive), COUNTERS + 1);
  uint64_t sum = 0;
  for (uint32_t level = 0; level <= COUNTERS; level++) {
    const uint64_t count = archive_states(archive, level);
    ck_assert_uint_eq(count, binomial(COUNTERS, level));
    ck_assert_int_eq(archive_read(archive, level, 0, count, states), FLOE_OK);
    for (uint64_t i = 0; i < count; i++) {
      ck_assert_int_eq(__builtin_popcountll(states[i]), (int)level);
      sum += engine_state_mix(&states[i], 1);
    }
  }
  ck_assert_uint_eq(sum, sum_of_all());
  archive_free(archive);
  engine_outcome_free(&outcome);
}
END_TEST

/* ---- errors ---------------------------------------------------------------------------------- */

static void expect_report(floe_severity severity, const char *words) {
  ck_assert_uint_eq(floe_log_count(messages), 1);
  const floe_message *message = floe_log_at(messages, 0);
  ck_assert_int_eq(message->severity, severity);
  ck_assert_msg(strstr(message->message, words) != NULL, "%s", message->message);
}

static void check_ends(unsigned threads) {
  struct engine_outcome outcome;
  floe_options options = options_of(1000, threads);
  ck_assert_int_eq(explore(&options, NULL, NULL, &outcome), FLOE_OK);
  ck_assert_int_eq(outcome.end, FLOE_END_MEMORY);
  check(&outcome);
  engine_outcome_free(&outcome);
}

START_TEST(test_full) {
  struct rlimit limit = {.rlim_cur = 100000, .rlim_max = RLIM_INFINITY};
  signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  check_ends(1 + (unsigned)_i);
  limit.rlim_cur = RLIM_INFINITY;
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  expect_report(FLOE_WARNING, "File too large");
}
END_TEST

START_TEST(test_no_folder) {
  char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
  setenv("TMPDIR", "/nowhere/at/all", 1);
  check_ends(1 + (unsigned)_i);
  before ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR");
  free(before);
  expect_report(FLOE_WARNING, "/nowhere/at/all: No such file or directory");
}
END_TEST

/* Fails every seventh read in turn. */
static void break_reads(long *which, unsigned threads, const char *words) {
  const floe_options options = options_of(1000, threads);
  floe_end end = FLOE_END_DISK;
  unsigned failed = 0;
  for (long n = 1; end != FLOE_END_COMPLETE; n += 7) {
    struct engine_outcome outcome;
    atomic_store(&disk.reads, 0);
    *which = n;
    ck_assert_int_eq(explore(&options, NULL, NULL, &outcome), FLOE_OK);
    *which = 0;
    end = outcome.end;
    ck_assert(end == FLOE_END_DISK || end == FLOE_END_COMPLETE);
    check(&outcome);
    failed += end == FLOE_END_DISK;
    engine_outcome_free(&outcome);
  }
  ck_assert_uint_gt(failed, 1);
  expect_report(FLOE_ERROR, words);
}

START_TEST(test_damaged) { break_reads(&disk.damage, 1 + (unsigned)_i, "differs from what was written"); }
END_TEST

START_TEST(test_unreadable) { break_reads(&disk.fail, 1 + (unsigned)_i, "cannot be read: Input/output error"); }
END_TEST

/* Fails each allocation in turn: an early end or an error, never wrong counts. */
START_TEST(test_no_memory) {
  const floe_options options = options_of(1000, 1 + (unsigned)_i);
  for (long n = 1; n < 50; n += at_length() ? 2 : 6) {
    struct engine_outcome outcome;
    mem_fail_after(n);
    const floe_status status = explore(&options, NULL, NULL, &outcome);
    mem_fail_after(0);
    ck_assert(status == FLOE_OK || status == FLOE_ERROR_MEMORY);
    if (status != FLOE_OK)
      continue;
    check(&outcome);
    engine_outcome_free(&outcome);
  }
}
END_TEST

static void setup(void) { ck_assert_int_eq(floe_log_create(&messages), FLOE_OK); }

static void teardown(void) {
  floe_log_free(messages);
  ck_assert_uint_eq(mem_live(), 0);
}

int main(void) {
  TCase *test = tcase_create("spill");
  tcase_add_checked_fixture(test, setup, teardown);
  tcase_set_timeout(test, 60);
  tcase_add_loop_test(test, test_budgets, 0, 3);
  tcase_add_loop_test(test, test_growth, 0, 4);
  tcase_add_test(test, test_order);
  tcase_add_loop_test(test, test_visit_waiting, 0, 3);
  tcase_add_loop_test(test, test_archive, 0, 2);
  tcase_add_loop_test(test, test_full, 0, 2);
  tcase_add_loop_test(test, test_no_folder, 0, 2);
  tcase_add_loop_test(test, test_damaged, 0, 2);
  tcase_add_loop_test(test, test_unreadable, 0, 2);
  tcase_add_loop_test(test, test_no_memory, 0, 2);
  return run_suite("spill", CK_FORK_GETENV, test);
}
