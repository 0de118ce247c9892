/* The CPU engine on a stepper with closed forms: counts, threads, growth, bounds, violations. */
#include "core/mem.h"
#include "core/system/clock.h"
#include "counter_stepper.h"
#include "tables/scheme.h"
#include "tables/simd.h"
#include "tests/suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALL_PROPERTIES ((UINT64_C(1) << FAKE_PROPERTIES) - 1)
#define MEBIBYTE (UINT64_C(1) << 20)

static floe_log *messages;
static atomic_bool interrupt;

static floe_options plain_options(void) {
  return (floe_options){.threads = 1,
                        .table = "iceberg",
                        .memory = 1024 * MEBIBYTE,
                        .max_depth = UINT32_MAX,
                        .max_states = UINT64_MAX,
                        .progress_seconds = 1};
}

static floe_status try_run(struct fake *fake, const floe_options *options, struct engine_outcome *out) {
  struct engine_task task = {.model = &fake->model,
                             .layout = &fake->layout,
                             .initial = &fake->initial,
                             .stepper = &fake->base,
                             .options = options,
                             .property_mask = ALL_PROPERTIES,
                             .limits.interrupt = &interrupt,
                             .limits.started = clock_seconds()};
  return engine_run(&engine_cpu, &task, messages, out);
}

static struct engine_outcome run(struct fake *fake, const floe_options *options) {
  struct engine_outcome outcome;
  ck_assert_int_eq(try_run(fake, options, &outcome), FLOE_OK);
  return outcome;
}

/* Number of states at each distance: the coefficients of (1 + x + ... + x^(k-1))^n. */
static void closed_levels(const struct fake *fake, uint64_t *levels, size_t size) {
  memset(levels, 0, size * sizeof *levels);
  levels[0] = 1;
  for (unsigned i = 0; i < fake->n; i++)
    for (size_t sum = size; sum-- > 0;)
      for (unsigned v = 1; v < fake->k && v <= sum; v++)
        levels[sum] += levels[sum - v];
}

static uint64_t power(uint64_t base, unsigned exponent) {
  uint64_t result = 1;
  while (exponent--)
    result *= base;
  return result;
}

static void check_prefix(const struct fake *fake, const struct engine_outcome *outcome) {
  uint64_t levels[1024];
  closed_levels(fake, levels, 1024);
  for (uint32_t i = 0; i < outcome->levels; i++)
    ck_assert_uint_eq(outcome->level_states[i], levels[i]);
}

static void check_complete(const struct fake *fake, const struct engine_outcome *outcome) {
  uint64_t states = power(fake->k, fake->n);
  ck_assert_int_eq(outcome->end, FLOE_END_COMPLETE);
  ck_assert_uint_eq(outcome->states, states);
  ck_assert_uint_eq(outcome->transitions, states * fake->n);
  ck_assert_uint_eq(outcome->levels, fake->n * (fake->k - 1) + 1);
  ck_assert_uint_eq(outcome->complete_depth, outcome->levels - 1);
  ck_assert_uint_eq(outcome->max_out_degree, fake->n);
  ck_assert_uint_eq(outcome->deadlocks, 0);
  for (unsigned i = 0; i < fake->n; i++)
    ck_assert_uint_eq(outcome->fired[i], states);
  check_prefix(fake, outcome);
}

static uint64_t closed_checksum(const struct fake *fake) {
  uint64_t sum = 0, count = power(fake->k, fake->n);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t state = 0, rest = i;
    for (unsigned c = 0; c < fake->n; c++, rest /= fake->k)
      state |= rest % fake->k << (c * fake->bits);
    sum += engine_state_mix(&state, 1);
  }
  return sum;
}

START_TEST(test_closed_forms) {
  static const struct {
    unsigned n, k;
  } sizes[] = {{1, 1}, {1, 2}, {1, 700}, {3, 3}, {5, 4}, {6, 5}, {12, 2}, {4, 25}, {2, 60}};
  static const unsigned threads[] = {1, 2, 3, 8};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
      struct fake fake;
      fake_init(&fake, sizes[i].n, sizes[i].k);
      if (fake.layout.bits == 0)
        fake.layout.bits = fake.layout.key_bits = 1;
      floe_options options = plain_options();
      options.threads = threads[t];
      struct engine_outcome outcome = run(&fake, &options);
      check_complete(&fake, &outcome);
      ck_assert_uint_eq(outcome.checksum, closed_checksum(&fake));
      engine_outcome_free(&outcome);
    }
  }
}
END_TEST

START_TEST(test_growth) {
  for (unsigned threads = 1; threads <= 4; threads++) {
    struct fake fake;
    fake_init(&fake, 6, 6);
    floe_options options = plain_options();
    options.threads = threads;
    options.initial_slots = 1;
    struct engine_outcome outcome = run(&fake, &options);
    check_complete(&fake, &outcome);
    ck_assert_uint_ge(outcome.statistics.growths, 4);
    ck_assert_uint_eq(outcome.checksum, closed_checksum(&fake));
    engine_outcome_free(&outcome);
  }
}
END_TEST

static double sum_of_phases(const struct engine_outcome *outcome) {
  double sum = 0;
  for (unsigned i = 0; i < PHASE_COUNT; i++)
    sum += outcome->cpu.phases[i];
  return sum;
}

/* The phases add up to the whole time, and each has its work. 6^7 states: all threads move keys, too. */
START_TEST(test_phases) {
  for (unsigned threads = 1; threads <= 3; threads++)
    for (unsigned known = 0; known < 2; known++) {
      struct fake fake;
      fake_init(&fake, 7, 6);
      floe_options options = plain_options();
      options.threads = threads;
      if (known)
        options.initial_slots = 4000000; /* a table of several huge pages */
      struct engine_outcome outcome = run(&fake, &options);
      check_complete(&fake, &outcome);
      const double *phases = outcome.cpu.phases;
      bool many = outcome.threads > 1;
      ck_assert_double_eq_tol(sum_of_phases(&outcome), outcome.statistics.explore_seconds, 1e-6);
      ck_assert(many == (phases[PHASE_TOGETHER] > 0));
      ck_assert(phases[PHASE_ALONE] > 0);
      ck_assert((known && many) == (phases[PHASE_CLEARING] > 0));
      ck_assert(known == (phases[PHASE_MOVING] == 0 && phases[PHASE_GROWING] == 0));
      ck_assert(many ? outcome.cpu.idle_seconds > 0 : outcome.cpu.idle_seconds == 0);
      ck_assert(outcome.cpu.idle_seconds < outcome.threads * outcome.statistics.explore_seconds);
      engine_outcome_free(&outcome);
    }
}
END_TEST

/* Both tables with every scan that the machine supports, by concurrent threads, in tables that grow. */
START_TEST(test_every_scan) {
  static const char *const tables[] = {"iceberg", "linear"};
  char *before = simd_requested() ? strdup(simd_requested()) : NULL;
  for (const char *const *form = simd_forms(); *form; form++)
    for (unsigned i = 0; i < 4; i++) {
      struct fake fake;
      fake_init(&fake, 6, 7);
      floe_options options = plain_options();
      options.threads = 2 + i / 2;
      options.table = tables[i % 2];
      options.initial_slots = 1;
      setenv(SIMD_VARIABLE, *form, 1);
      struct engine_outcome outcome = run(&fake, &options);
      check_complete(&fake, &outcome);
      ck_assert_str_eq(outcome.table.simd, *form);
      ck_assert_uint_eq(outcome.checksum, closed_checksum(&fake));
      engine_outcome_free(&outcome);
    }
  setenv(SIMD_VARIABLE, before ? before : "", 1);
  free(before);
}
END_TEST

/* Keys that the table refuses at the end of the last level count as well. */
START_TEST(test_growth_at_the_end) {
  for (uint64_t slots = 1; slots < 2000; slots += slots / 3 + 1) {
    for (uint32_t depth = 1; depth < 12; depth++) {
      struct fake fake;
      fake_init(&fake, 6, 6);
      floe_options options = plain_options();
      options.initial_slots = slots;
      options.max_depth = depth;
      struct engine_outcome outcome = run(&fake, &options);
      uint64_t sum = 0;
      check_prefix(&fake, &outcome);
      for (uint32_t i = 0; i < outcome.levels; i++)
        sum += outcome.level_states[i];
      ck_assert_uint_eq(outcome.levels, depth + 1);
      ck_assert_uint_eq(outcome.states, sum);
      engine_outcome_free(&outcome);
    }
  }
}
END_TEST

static struct table_scheme refusing; /* the default scheme; the first `refusals` larger tables refuse all keys */
static unsigned refusals;

static uint64_t refuse(const struct table *from, struct table *to, unsigned part, unsigned parts) {
  if (!refusals)
    return iceberg_scheme.rehash(from, to, part, parts);
  struct table_stats stats;
  table_stats(from, &stats);
  refusals--;
  return stats.used;
}

static void add_refusing_scheme(void) {
  refusing = iceberg_scheme;
  refusing.name = "refusing";
  refusing.rehash = refuse;
  table_scheme_add(&refusing);
}

/* A larger table that refused keys is dropped, the old one keeps its keys, and another size is tried. */
START_TEST(test_growth_refused) {
  struct fake fake;
  fake_init(&fake, 5, 5);
  floe_options options = plain_options();
  options.table = "refusing";
  options.initial_slots = 1;
  for (unsigned n = 1; n < 4; n++) {
    refusals = n;
    struct engine_outcome outcome = run(&fake, &options);
    ck_assert_uint_eq(refusals, 0);
    check_complete(&fake, &outcome);
    ck_assert_uint_eq(outcome.checksum, closed_checksum(&fake));
    engine_outcome_free(&outcome);
  }
}
END_TEST

/* Every key of the layout is a state: the table ends with a slot for each and must not grow further. */
START_TEST(test_full_key_space) {
  struct fake fake;
  fake_init(&fake, 4, 16);
  floe_options options = plain_options();
  options.initial_slots = 64;
  struct engine_outcome outcome = run(&fake, &options);
  check_complete(&fake, &outcome);
  ck_assert_uint_le(outcome.statistics.growths, 10);
  engine_outcome_free(&outcome);
}
END_TEST

START_TEST(test_slot_widths) {
  static const unsigned widths[] = {16, 21, 32, 64}, buckets[] = {8, 12, 16, 24, 32};
  for (size_t w = 0; w < 4; w++) {
    for (size_t b = 0; b < 5; b++) {
      struct fake fake;
      if ((widths[w] == 21) != (buckets[b] % 3 == 0))
        continue; /* no layout */
      fake_init(&fake, 5, 9);
      floe_options options = plain_options();
      options.slot_bits = widths[w];
      options.bucket_slots = buckets[b];
      options.initial_slots = 64;
      struct engine_outcome outcome = run(&fake, &options);
      check_complete(&fake, &outcome);
      ck_assert_uint_eq(outcome.table.shape.slot_bits, widths[w]);
      ck_assert_uint_eq(outcome.table.shape.bucket_slots, buckets[b]);
      engine_outcome_free(&outcome);
    }
  }
}
END_TEST

/* A table made for the right number of states does not grow and ends full; a wrong number gives the same result. */
START_TEST(test_expected_states) {
  static const double wrong[] = {0.00001, 0.3, 0.99, 1, 1.5, 100};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct fake fake;
    fake_init(&fake, 6, 8);
    floe_options options = plain_options();
    options.expected_states = (uint64_t)(wrong[i] * 262144) + 1;
    struct engine_outcome outcome = run(&fake, &options);
    check_complete(&fake, &outcome);
    ck_assert_uint_eq(outcome.checksum, closed_checksum(&fake));
    if (wrong[i] >= 1)
      ck_assert_uint_eq(outcome.statistics.growths, 0);
    else
      ck_assert_uint_ge(outcome.statistics.growths, 1);
    if (wrong[i] == 1)
      ck_assert_double_ge(outcome.statistics.table_fill, 0.9);
    engine_outcome_free(&outcome);
  }
}
END_TEST

/* Past its largest level the search predicts its end: the last table is not much too large. */
START_TEST(test_last_table_fits) {
  double sum = 0;
  unsigned runs = 0;
  for (uint64_t slots = 3000; slots < 200000; slots += slots / 4, runs++) {
    struct fake fake;
    fake_init(&fake, 5, 11);
    fake.counters.hi = 1000; /* the bound of the number of states must not reveal it */
    floe_options options = plain_options();
    options.initial_slots = slots;
    struct engine_outcome outcome = run(&fake, &options);
    check_complete(&fake, &outcome);
    ck_assert_double_ge(outcome.statistics.table_fill, 0.25);
    sum += outcome.statistics.table_fill;
    engine_outcome_free(&outcome);
  }
  ck_assert_double_ge(sum / runs, 0.7);
}
END_TEST

/* With any limit: never exceeded, exact up to the depth reported, and an end that reports it. */
START_TEST(test_memory_limit) {
  bool some_ended = false;
  for (uint64_t kib = 96; kib < 2048; kib = kib * 4 / 3) {
    struct fake fake;
    fake_init(&fake, 6, 7);
    floe_options options = plain_options();
    options.threads = 1 + kib % 2;
    options.memory = kib << 10;
    options.initial_slots = 256;
    struct engine_outcome outcome;
    size_t live = mem_live();
    floe_status status = try_run(&fake, &options, &outcome);
    ck_assert_uint_eq(mem_live() > live, status == FLOE_OK);
    if (status == FLOE_ERROR_MEMORY)
      continue;
    ck_assert_int_eq(status, FLOE_OK);
    check_prefix(&fake, &outcome);
    ck_assert_uint_le(outcome.statistics.table_bytes + outcome.statistics.frontier_bytes, options.memory);
    if (outcome.end != FLOE_END_COMPLETE) {
      some_ended = true;
      ck_assert_int_eq(outcome.end, FLOE_END_MEMORY);
      ck_assert_uint_eq(outcome.complete_depth + 2, outcome.levels);
    }
    engine_outcome_free(&outcome);
  }
  ck_assert(some_ended);
}
END_TEST

START_TEST(test_max_depth) {
  for (uint32_t depth = 0; depth < 20; depth += 3) {
    struct fake fake;
    fake_init(&fake, 4, 8);
    fake.good_sum = 9;
    floe_options options = plain_options();
    options.threads = 2;
    options.max_depth = depth;
    struct engine_outcome outcome = run(&fake, &options);
    ck_assert_int_eq(outcome.end, FLOE_END_DEPTH);
    ck_assert_uint_eq(outcome.levels, depth + 1);
    ck_assert_int_eq(outcome.any_complete, depth > 0);
    if (depth)
      ck_assert_uint_eq(outcome.complete_depth, depth - 1);
    ck_assert_int_eq(outcome.violations[FAKE_GOOD].violation, depth >= 9);
    check_prefix(&fake, &outcome);
    engine_outcome_free(&outcome);
  }
}
END_TEST

START_TEST(test_max_states) {
  uint64_t levels[64];
  for (uint64_t limit = 0; limit < 5000; limit += 499) {
    struct fake fake;
    fake_init(&fake, 4, 8);
    closed_levels(&fake, levels, 64);
    floe_options options = plain_options();
    options.max_states = limit;
    struct engine_outcome outcome = run(&fake, &options);
    uint64_t sum = levels[0];
    uint32_t level = 1;
    do
      sum += levels[level++];
    while (sum <= limit && level < 29);
    ck_assert_uint_eq(outcome.states, sum);
    ck_assert_uint_eq(outcome.levels, level);
    ck_assert_int_eq(outcome.end, limit < 4096 ? FLOE_END_STATES : FLOE_END_COMPLETE);
    check_prefix(&fake, &outcome);
    engine_outcome_free(&outcome);
  }
}
END_TEST

START_TEST(test_timeout) {
  struct fake fake;
  fake_init(&fake, 12, 20);
  fake.layout.bits = fake.layout.key_bits = 60;
  floe_options options = plain_options();
  options.threads = 2;
  options.timeout = 0.5; /* enough for a level on a busy machine */
  double start = clock_seconds();
  struct engine_outcome outcome = run(&fake, &options);
  ck_assert_int_eq(outcome.end, FLOE_END_TIMEOUT);
  ck_assert(clock_seconds() - start < 20);
  ck_assert_uint_eq(outcome.complete_depth + 2, outcome.levels);
  check_prefix(&fake, &outcome);
  engine_outcome_free(&outcome);
}
END_TEST

static void *interrupt_soon(void *unused) {
  (void)unused;
  usleep(50000);
  atomic_store(&interrupt, true);
  return NULL;
}

START_TEST(test_interrupt) {
  for (unsigned threads = 1; threads <= 3; threads += 2) {
    struct fake fake;
    fake_init(&fake, 12, 20);
    fake.pause = 200;
    floe_options options = plain_options();
    options.threads = threads;
    pthread_t thread;
    pthread_create(&thread, NULL, interrupt_soon, NULL);
    struct engine_outcome outcome = run(&fake, &options);
    pthread_join(thread, NULL);
    atomic_store(&interrupt, false);
    ck_assert_int_eq(outcome.end, FLOE_END_INTERRUPT);
    check_prefix(&fake, &outcome);
    engine_outcome_free(&outcome);
  }
}
END_TEST

static void check_hit(const struct engine_outcome *outcome, unsigned property, uint64_t depth, uint64_t state) {
  ck_assert(outcome->violations[property].violation);
  ck_assert_uint_eq(outcome->violations[property].depth, depth);
  ck_assert_uint_eq(outcome->violations[property].state[0], state);
}

START_TEST(test_hits) {
  for (unsigned threads = 1; threads <= 4; threads++) {
    struct fake fake;
    fake_init(&fake, 5, 7);
    fake.wrap = false;
    fake.bad_sum = 11;
    fake.good_sum = 8;
    fake.fail_sum = 17;
    floe_options options = plain_options();
    options.threads = threads;
    options.keep_going = true;
    struct engine_outcome outcome = run(&fake, &options);
    ck_assert_int_eq(outcome.end, FLOE_END_COMPLETE);
    check_hit(&outcome, FAKE_BAD, 11, fake_least(&fake, 11));
    check_hit(&outcome, FAKE_GOOD, 8, fake_least(&fake, 8));
    check_hit(&outcome, FAKE_DEADLOCK, 30, fake_least(&fake, 30));
    ck_assert_uint_eq(outcome.deadlocks, 1);
    ck_assert(outcome.violations[FAKE_ERRORS].violation);
    ck_assert_uint_eq(outcome.violations[FAKE_ERRORS].depth, 17);
    ck_assert_uint_eq(outcome.violations[FAKE_ERRORS].error.transition, 0);
    ck_assert_uint_eq(outcome.violations[FAKE_ERRORS].error.site, FAKE_SITE);
    ck_assert(outcome.firing_failed);
    ck_assert_uint_eq(outcome.firing_failed_depth, 17);
    engine_outcome_free(&outcome);
  }
}
END_TEST

START_TEST(test_decided) {
  struct fake fake;
  fake_init(&fake, 5, 7);
  fake.bad_sum = 11;
  fake.good_sum = 8; /* a witness alone decides nothing while an invariant is undecided */
  floe_options options = plain_options();
  options.threads = 2;
  struct engine_outcome outcome = run(&fake, &options);
  ck_assert_int_eq(outcome.end, FLOE_END_DECIDED);
  ck_assert_uint_eq(outcome.complete_depth, 11);
  ck_assert_uint_eq(outcome.levels, 13);
  check_prefix(&fake, &outcome);
  engine_outcome_free(&outcome);
}
END_TEST

static void count_report(const floe_progress *progress, void *user) {
  ck_assert(progress->table_fill >= 0 && progress->table_fill <= 1);
  ck_assert(progress->seconds > 0);
  ++*(unsigned *)user;
}

START_TEST(test_progress) {
  struct fake fake;
  fake_init(&fake, 4, 12);
  fake.pause = 500;
  unsigned reports = 0;
  floe_options options = plain_options();
  options.progress = count_report;
  options.user = &reports;
  options.progress_seconds = 0.005;
  struct engine_outcome outcome = run(&fake, &options);
  ck_assert_uint_ge(reports, 2);
  engine_outcome_free(&outcome);
}
END_TEST

/* Every allocation fails once: the run ends properly, and its report is true. */
START_TEST(test_allocation_failures) {
  for (long n = 1; n < 120; n++) {
    struct fake fake;
    fake_init(&fake, 5, 5);
    floe_options options = plain_options();
    options.threads = 1 + n % 2;
    options.initial_slots = 64;
    size_t live = mem_live();
    struct engine_outcome outcome;
    mem_fail_after(n);
    floe_status status = try_run(&fake, &options, &outcome);
    mem_fail_after(0);
    if (status == FLOE_OK) {
      check_prefix(&fake, &outcome);
      engine_outcome_free(&outcome);
    } else {
      ck_assert_int_eq(status, FLOE_ERROR_MEMORY);
    }
    ck_assert_uint_eq(mem_live(), live);
  }
}
END_TEST

int main(void) {
  if (floe_log_create(&messages) != FLOE_OK)
    return 99;
  add_refusing_scheme();
  const int failed =
      run_tests("engine", CK_NOFORK, test_closed_forms, test_growth, test_phases, test_every_scan,
                test_growth_at_the_end, test_growth_refused, test_full_key_space, test_slot_widths,
                test_expected_states, test_last_table_fits, test_memory_limit, test_max_depth, test_max_states,
                test_timeout, test_interrupt, test_hits, test_decided, test_progress, test_allocation_failures);
  floe_log_free(messages);
  return suite_end(failed);
}
