/* A violation that a search found gets its trace, however the search ended: on CPUs, with EMULATED on an emulated GPU.
   The progress callback, a bound, or a timeout that is raised until the search finds the violation provokes the end. */
#ifdef EMULATED
#include "tests/gpu/device/emulated_gpu_api.h"
#include "tests/gpu/device/emulated_suite.h"
#endif

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
  uint64_t memory, gpu_memory; /* the search does not fit */
};

static const struct machine machines[] = {
#ifdef EMULATED
    {"GPU", FLOE_ENGINE_GPU, 1, 1 << 16, 1 << 20},
#else
    {"interpreter", FLOE_ENGINE_INTERPRETER, 1, 3 << 20, 0},
    {"interpreter, 2 threads", FLOE_ENGINE_INTERPRETER, 2, 3 << 20, 0},
    {"compiled", FLOE_ENGINE_CPU, 1, 3 << 20, 0},
    {"compiled, 2 threads", FLOE_ENGINE_CPU, 2, 3 << 20, 0},
#endif
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
  options.memory = machines[_i].memory;
  options.gpu_memory = machines[_i].gpu_memory;
  floe_result *result = explore();
  is_traced(result, &machines[_i], FLOE_END_MEMORY);
  floe_result_free(result);
}
END_TEST

#ifndef EMULATED
/* Levels of few states, so that a second pass needs nearly all memory of the search. Violations at depths 30, 60, ...
 */
enum { THIN_PROPERTIES = 40 };

static void parse_thin_model(void) {
  static char text[THIN_PROPERTIES * 100 + 1000];
  size_t used = (size_t)snprintf(text, sizeof text,
                                 "<model name='m'><process name='P' instances='2'><variable name='x' range='0..65535'/>"
                                 "<location name='a' initial='true'/><transition from='a' guard='x &lt; 65535' "
                                 "effect='x = x + 1'/></process><deadlock check='false'/>");
  for (int i = 1; i <= THIN_PROPERTIES; i++)
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "<property id='d%d' kind='never'>P[0].x + P[1].x == %d</property>", i, 30 * i);
  used += (size_t)snprintf(text + used, sizeof text - used, "</model>");
  floe_model_free(model);
  ck_assert_int_eq(floe_model_parse("m", text, used, messages, &model), FLOE_OK);
}

START_TEST(all_memory_in_use) {
  static const struct {
    const char *table;
    uint64_t memory;
  } runs[] = {{"iceberg", 1200 << 10}, {"linear", 600 << 10}};
  uint32_t violated = 0;
  parse_thin_model();
  use(&machines[MACHINES - 1]);
  options.table = runs[_i].table;
  options.memory = runs[_i].memory;
  floe_result *result = explore();
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_MEMORY);
  for (uint32_t i = 0; i < THIN_PROPERTIES; i++) {
    const floe_verdict verdict = floe_result_verdict(result, i);
    ck_assert_msg((verdict.value == FLOE_VIOLATED) == (verdict.trace != NULL), "%s: %s", runs[_i].table, warning());
    violated += verdict.value == FLOE_VIOLATED;
  }
  ck_assert_uint_ge(violated, 10);
  ck_assert_uint_lt(violated, THIN_PROPERTIES);
  floe_result_free(result);
}
END_TEST
#endif

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
#ifdef EMULATED
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
#endif
  TCase *test = tcase_create("trace_limits");
  tcase_set_timeout(test, 0);
  tcase_add_checked_fixture(test, setup, teardown);
  tcase_add_loop_test(test, an_interrupted_search, 0, MACHINES);
  tcase_add_loop_test(test, a_timeout, 0, MACHINES);
  tcase_add_loop_test(test, a_bound_of_states, 0, MACHINES);
  tcase_add_loop_test(test, a_memory_limit, 0, MACHINES);
#ifndef EMULATED
  tcase_add_loop_test(test, all_memory_in_use, 0, 2);
#endif
  tcase_add_loop_test(test, interrupted_traces, 0, 2 * MACHINES);
  tcase_add_loop_test(test, late_traces, 0, MACHINES);
#ifdef EMULATED
  return emulated_run("trace_limits, emulated GPU", test);
#else
  return run_suite("trace_limits", CK_NOFORK, test);
#endif
}
