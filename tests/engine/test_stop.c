/* Stop requests while the CPU engine's table grows: table_rehash is wrapped (Makefile.inc), so that the request
   comes in the middle of a growth, after the number of parts given by each case, on any machine. */
#include "core/mem.h"
#include "counter_stepper.h"
#include "tests/suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define MEBIBYTE (UINT64_C(1) << 20)

uint64_t __real_table_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);
uint64_t __wrap_table_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);

static floe_log *messages;
static atomic_bool interrupt, cancelled;
static atomic_int moved, request_after; /* parts; the request comes after this many */
static atomic_bool *stop_flag;          /* NULL: a timeout instead */
static atomic_uint most_parts;
static double timeout; /* 0: none */

uint64_t __wrap_table_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts) {
  uint64_t misplaced = __real_table_rehash(from, to, part, parts);
  most_parts = parts > most_parts ? parts : most_parts;
  if (atomic_fetch_add(&moved, 1) + 1 == request_after) {
    if (stop_flag)
      atomic_store(stop_flag, true);
    else
      usleep((useconds_t)(1e6 * (timeout + 0.1)));
  }
  return misplaced;
}

static struct engine_outcome run(unsigned threads) {
  struct fake fake;
  fake_init(&fake, 6, 9); /* 531,441 states */
  fake.bad_sum = fake.good_sum = fake.fail_sum = FAKE_NEVER;
  const floe_options options = {.threads = threads,
                                .table = "iceberg",
                                .memory = 1024 * MEBIBYTE,
                                .max_depth = UINT32_MAX,
                                .max_states = UINT64_MAX,
                                .timeout = timeout,
                                .progress_seconds = 1};
  struct engine_task task = {.model = &fake.model,
                             .layout = &fake.layout,
                             .initial = &fake.initial,
                             .stepper = &fake.base,
                             .options = &options,
                             .property_mask = (UINT64_C(1) << FAKE_PROPERTIES) - 1,
                             .limits.interrupt = &interrupt,
                             .limits.cancelled = &cancelled,
                             .limits.started = clock_seconds()};
  struct engine_outcome outcome;
  ck_assert_int_eq(engine_run(&engine_cpu, &task, messages, &outcome), FLOE_OK);
  return outcome;
}

static void setup(void) {
  atomic_store(&interrupt, false);
  atomic_store(&cancelled, false);
  moved = 0;
  most_parts = 0;
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
}

static void teardown(void) {
  ck_assert_uint_eq(floe_log_count(messages), 0);
  floe_log_free(messages);
  ck_assert_uint_eq(mem_live(), 0);
}

/* Number of parts, over all growths. */
static const int request_points[] = {1, 2};
enum { REQUEST_POINTS = sizeof request_points / sizeof *request_points };

static void ended_well(struct engine_outcome *outcome, floe_end end) {
  ck_assert_int_eq(outcome->end, end);
  ck_assert_int_ge(moved, request_after);
  ck_assert_uint_lt(outcome->states, 531441);
  uint64_t whole = 0;
  for (uint32_t i = 0; i < outcome->levels; i++)
    whole += outcome->level_states[i];
  ck_assert_uint_ge(outcome->states, whole); /* no state of a whole level is lost */
  engine_outcome_free(outcome);
}

START_TEST(an_interrupt_ends_growth) {
  request_after = request_points[_i % REQUEST_POINTS];
  stop_flag = &interrupt;
  struct engine_outcome outcome = run(_i / REQUEST_POINTS + 1);
  ck_assert(!outcome.cancelled);
  ended_well(&outcome, FLOE_END_INTERRUPT);
}
END_TEST

START_TEST(cancelled_run_ends_in_growth) {
  request_after = request_points[_i % REQUEST_POINTS];
  stop_flag = &cancelled;
  struct engine_outcome outcome = run(_i / REQUEST_POINTS + 1);
  ck_assert(outcome.cancelled);
  ended_well(&outcome, FLOE_END_INTERRUPT);
}
END_TEST

START_TEST(a_timeout_ends_growth) {
  struct engine_outcome outcome;
  stop_flag = NULL;
  request_after = 2;
  for (timeout = 0.2;; timeout *= 4) { /* on a busy machine the timeout may come before the table grows */
    moved = 0;
    outcome = run(_i + 1);
    if (moved >= request_after || timeout > 20)
      break;
    engine_outcome_free(&outcome);
  }
  timeout = 0;
  ended_well(&outcome, FLOE_END_TIMEOUT);
}
END_TEST

START_TEST(nothing_ends_it) {
  request_after = -1;
  struct engine_outcome outcome = run(2);
  ck_assert_int_eq(outcome.end, FLOE_END_COMPLETE);
  ck_assert_uint_eq(outcome.states, 531441);
  ck_assert_uint_gt(outcome.statistics.growths, 0);
  ck_assert_uint_ge(most_parts, 2);
  engine_outcome_free(&outcome);
}
END_TEST

int main(void) {
  TCase *test = tcase_create("stop");
  tcase_set_timeout(test, 120);
  tcase_add_checked_fixture(test, setup, teardown);
  tcase_add_loop_test(test, an_interrupt_ends_growth, 0, 2 * REQUEST_POINTS);
  tcase_add_loop_test(test, cancelled_run_ends_in_growth, 0, 2 * REQUEST_POINTS);
  tcase_add_loop_test(test, a_timeout_ends_growth, 0, 2);
  tcase_add_test(test, nothing_ends_it);
  return run_suite("stop", CK_FORK_GETENV, test);
}
