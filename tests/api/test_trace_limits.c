/* A violation that a search found gets its trace, however the search ended, on CPUs. The progress callback, a bound, or
   a timeout that is raised until the search finds the violation provokes the end. */
#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model -------------------------------------------------------------------------------- */

/* 16^8 states, of which no test finds all. A violation at depth 5. */
#define DEPTH 5
static const char model_text[] = "<model name='m'>"
                                 "<process name='P' instances='8'><variable name='x' range='0..15'/>"
                                 "<location name='a' initial='true'/>"
                                 "<transition from='a' effect='x = (x + 1) % 16'/>"
                                 "<transition from='a' guard='x == 15 and P[0].x == 14' effect='x = 0'/></process>"
                                 "<deadlock check='false'/>"
                                 "<property id='low' kind='never'>P[0].x == 3 and P[7].x == 2</property></model>";

struct machine {
  const char *name;
  floe_engine engine;
  unsigned threads;
};

static const struct machine machines[] = {
    {"interpreter", FLOE_ENGINE_INTERPRETER, 1},
    {"interpreter, 2 threads", FLOE_ENGINE_INTERPRETER, 2},
    {"compiled", FLOE_ENGINE_CPU, 1},
    {"compiled, 2 threads", FLOE_ENGINE_CPU, 2},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static floe_log *messages;
static floe_model *model;
static floe_options options;

static void setup(void) {
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
  ck_assert_int_eq(floe_model_parse("m", model_text, strlen(model_text), messages, &model), FLOE_OK);
  floe_options_init(&options);
  options.keep_going = true;
  options.table = "iceberg";
  options.memory = UINT64_C(64) << 20;
}

static void teardown(void) {
  floe_model_free(model);
  floe_log_free(messages);
  ck_assert_uint_eq(mem_live(), 0);
}

static void use(const struct machine *machine) {
  options.engine = machine->engine;
  options.threads = machine->threads;
}

static floe_result *explore(void) {
  floe_result *result;
  const floe_status status = floe_explore(model, &options, messages, &result);
  ck_assert_msg(status == FLOE_OK, "%s", floe_log_count(messages) ? floe_log_at(messages, 0)->message : "");
  return result;
}

static const char *warning(void) { return floe_log_count(messages) ? floe_log_at(messages, 0)->message : ""; }

static void is_traced(const floe_result *result, const struct machine *machine, floe_end end) {
  const floe_verdict verdict = floe_result_verdict(result, 0);
  ck_assert_int_eq(floe_result_summary(result)->end, end);
  ck_assert_int_eq(verdict.value, FLOE_VIOLATED);
  ck_assert_int_eq(verdict.depth, DEPTH);
  ck_assert_msg(verdict.trace != NULL, "%s: %s", machine->name, warning());
  ck_assert_uint_eq(floe_trace_steps(verdict.trace), DEPTH);
  ck_assert_uint_eq(floe_log_count(messages), 0);
}

/* ---- ends -------------------------------------------------------------------------------------- */

static bool interrupts_search, interrupts_traces;
static unsigned reports; /* of traces */

static void watch(const floe_progress *progress, void *user) {
  (void)user;
  const bool traces = progress->activity && strcmp(progress->activity, "reconstructing traces") == 0;
  ck_assert(floe_traces_running() == traces);
  reports += traces;
  if (interrupts_search && !progress->activity && progress->depth > DEPTH) {
    interrupts_search = false;
    floe_interrupt();
  }
  if (interrupts_traces && traces)
    floe_interrupt();
}

static void watch_progress(bool search, bool traces) {
  interrupts_search = search;
  interrupts_traces = traces;
  reports = 0;
  options.progress = watch;
  options.progress_seconds = 0;
}

START_TEST(an_interrupted_search) {
  use(&machines[_i]);
  watch_progress(true, false);
  floe_result *result = explore();
  is_traced(result, &machines[_i], FLOE_END_INTERRUPT);
  ck_assert_uint_eq(reports, 1);
  ck_assert(!floe_traces_running());
  floe_result_free(result);
}
END_TEST

static bool is_violated(const floe_result *result) { return floe_result_verdict(result, 0).value == FLOE_VIOLATED; }

START_TEST(a_timeout) {
  floe_result *result = NULL;
  use(&machines[_i]);
  for (options.timeout = 0.1; !result || !is_violated(result); options.timeout *= 3) {
    floe_result_free(result);
    floe_log_clear(messages);
    result = explore();
  }
  is_traced(result, &machines[_i], FLOE_END_TIMEOUT);
  floe_result_free(result);
}
END_TEST

START_TEST(a_bound_of_states) {
  use(&machines[_i]);
  options.max_states = 3000;
  floe_result *result = explore();
  is_traced(result, &machines[_i], FLOE_END_STATES);
  floe_result_free(result);
}
END_TEST

START_TEST(a_memory_limit) {
  use(&machines[_i]);
  options.memory = 3 << 20;
  floe_result *result = explore();
  is_traced(result, &machines[_i], FLOE_END_MEMORY);
  floe_result_free(result);
}
END_TEST

/* ---- limits of traces -------------------------------------------------------------------------- */

static void has_no_trace(floe_end end, const char *message, const char *hint) {
  floe_result *result = explore();
  const floe_verdict verdict = floe_result_verdict(result, 0);
  ck_assert_int_eq(floe_result_summary(result)->end, end);
  ck_assert_int_eq(verdict.value, FLOE_VIOLATED);
  ck_assert_ptr_null(verdict.trace);
  ck_assert_uint_eq(floe_log_count(messages), 1);
  ck_assert_str_eq(floe_log_at(messages, 0)->message, message);
  ck_assert_str_eq(floe_log_at(messages, 0)->hint ? floe_log_at(messages, 0)->hint : "", hint);
  floe_result_free(result);
}

START_TEST(interrupted_traces) {
  use(&machines[_i / 2]);
  watch_progress(_i % 2, true);
  options.max_states = _i % 2 ? UINT64_MAX : 3000;
  has_no_trace(_i % 2 ? FLOE_END_INTERRUPT : FLOE_END_STATES, "no trace for `low`: interrupted while reconstructing it",
               "");
  floe_log_clear(messages);
  options.progress = NULL; /* the interrupts do not end the next exploration */
  options.max_states = 3000;
  floe_result *result = explore();
  is_traced(result, &machines[_i / 2], FLOE_END_STATES);
  floe_result_free(result);
}
END_TEST

START_TEST(late_traces) {
  use(&machines[_i]);
  options.max_states = 3000;
  options.trace_timeout = 1e-9;
  has_no_trace(FLOE_END_STATES, "no trace for `low`: time limit reached while reconstructing it",
               "raise --trace-timeout");
}
END_TEST

int main(void) {
  TCase *test = tcase_create("trace_limits");
  tcase_set_timeout(test, 0);
  tcase_add_checked_fixture(test, setup, teardown);
  tcase_add_loop_test(test, an_interrupted_search, 0, MACHINES);
  tcase_add_loop_test(test, a_timeout, 0, MACHINES);
  tcase_add_loop_test(test, a_bound_of_states, 0, MACHINES);
  tcase_add_loop_test(test, a_memory_limit, 0, MACHINES);
  tcase_add_loop_test(test, interrupted_traces, 0, 2 * MACHINES);
  tcase_add_loop_test(test, late_traces, 0, MACHINES);
  return run_suite("trace_limits", CK_NOFORK, test);
}
