/* Why transitions never fired, and blocked transitions of a deadlock, through the API: ownership, and behaviour
   without memory. */
#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

static const char text[] =
    "<model name='m'><variable name='x' range='0..99'/>"
    "<channel name='c' size='2'/>"
    "<process name='P' instances='2'><location name='a' initial='true'/><location name='b'/>"
    "<transition from='a' guard='x lt 90' effect='x += self + 1'/>"
    "<transition from='a' label='no' select='i in 0..1' guard='x gt 95 and self == 1' send='c[i]'/>"
    "<transition from='b' label='lost' receive='c[1]'/>"
    "</process><deadlock check='false'/></model>";

static floe_status explore(const char *xml, unsigned threads, floe_result **result) {
  floe_log *log;
  floe_model *model;
  floe_options options;
  floe_status status = floe_log_create(&log);
  if (status != FLOE_OK)
    return status;
  status = floe_model_parse("m", xml, strlen(xml), log, &model);
  if (status == FLOE_OK) {
    floe_options_init(&options);
    options.engine = FLOE_ENGINE_INTERPRETER;
    options.threads = threads;
    options.explain_unfired = true;
    status = floe_explore(model, &options, log, result);
    floe_model_free(model);
  }
  floe_log_free(log);
  return status;
}

START_TEST(outlives_the_model) {
  for (unsigned threads = 1; threads <= 3; threads++) {
    floe_result *result;
    ck_assert_int_eq(explore(text, threads, &result), FLOE_OK);
    ck_assert_uint_eq(floe_result_unfired_transitions(result), 2);
    floe_unfired never = floe_result_unfired(result, 0);
    ck_assert_uint_eq(never.transition, 1);
    ck_assert_uint_eq(never.conditions, 4);
    ck_assert_uint_eq(never.states, floe_result_summary(result)->states);
    ck_assert_str_eq(never.participants, "P[1] {i=0}");
    ck_assert_uint_eq(never.met, 2);
    floe_unfired_condition condition = floe_result_unfired_condition(result, 0, 1);
    ck_assert_str_eq(condition.text, "x gt 95");
    ck_assert(!condition.met);
    ck_assert_uint_eq(condition.states, 0);
    ck_assert_str_eq(floe_result_unfired_condition(result, 0, 2).text, "self == 1");
    ck_assert_str_eq(floe_result_unfired_condition(result, 0, 3).text, "another instance can receive c[i]");
    ck_assert_str_eq(floe_result_unfired_value(result, 0, 0).name, "x");
    floe_result_free(result);
  }
}
END_TEST

/* A guard may have any number of conjuncts: the last ones are reported as one condition. */
START_TEST(a_long_guard) {
  char *xml = mem_alloc(10000), *end = xml;
  floe_result *result;
  end += sprintf(end, "<model name='m'><variable name='x' range='0..99'/><process name='P'>"
                      "<location name='a' initial='true'/><transition from='a' effect='x = 1'/>"
                      "<transition from='a' effect='x = 2' guard='x == 2");
  for (int i = 0; i < 98; i++)
    end += sprintf(end, " and x != %d", i);
  sprintf(end, "'/></process></model>");
  ck_assert_int_eq(explore(xml, 1, &result), FLOE_OK);
  ck_assert_uint_eq(floe_result_unfired_transitions(result), 1);
  floe_unfired never = floe_result_unfired(result, 0);
  ck_assert_uint_eq(never.conditions, 1 + 51);
  ck_assert_str_eq(floe_result_unfired_condition(result, 0, 1).text, "x == 2");
  const char *last = floe_result_unfired_condition(result, 0, never.conditions - 1).text;
  ck_assert_int_eq(strncmp(last, "x != 49 and x != 50 and ", 24), 0);
  ck_assert_str_eq(last + strlen(last) - 11, "and x != 97");
  floe_result_free(result);
  mem_free(xml);
}
END_TEST

static const char stuck[] =
    "<model name='m'><variable name='x' range='0..9'/><channel name='c' capacity='1' message='0..1'/>"
    "<process name='P' instances='2'><location name='a' initial='true'/><location name='b'/>"
    "<transition from='a' to='b' guard='x lt 5' effect='x += 4'/>"
    "<transition from='b' label='more' select='i in 1..2' guard='x lt i * 3' receive='c(_)'/>"
    "</process></model>";

START_TEST(waits_outlive_the_model) {
  floe_result *result;
  ck_assert_int_eq(explore(stuck, 1, &result), FLOE_OK);
  const floe_trace *trace = floe_result_verdict(result, 0).trace;
  ck_assert_uint_eq(floe_trace_blocked_transitions(trace), 2);
  ck_assert_str_eq(floe_trace_last_value(trace, 0).name, "x");
  ck_assert_str_eq(floe_trace_last_value(trace, 0).after, "8");
  floe_blocked_transition wait = floe_trace_blocked_transition(trace, 1);
  ck_assert_str_eq(wait.process, "P[1]");
  ck_assert_str_eq(wait.location, "b");
  ck_assert_str_eq(wait.to, "b");
  ck_assert_uint_eq(wait.selects, 1);
  ck_assert_str_eq(wait.select_list[0].name, "i");
  ck_assert_uint_eq(wait.obstacles, 2);
  ck_assert_int_eq(wait.obstacle_list[0].kind, FLOE_OBSTACLE_GUARD);
  ck_assert_str_eq(wait.obstacle_list[0].text, "x lt i * 3");
  ck_assert_uint_eq(wait.obstacle_list[0].values, 1);
  ck_assert_str_eq(wait.obstacle_list[0].value_list[0].name, "x");
  ck_assert_str_eq(wait.obstacle_list[0].value_list[0].after, "8");
  ck_assert_int_eq(wait.obstacle_list[1].kind, FLOE_OBSTACLE_EMPTY);
  ck_assert_str_eq(wait.obstacle_list[1].text, "c is empty");
  ck_assert_str_eq(floe_obstacle_kind_name(wait.obstacle_list[1].kind), "empty");
  ck_assert_str_eq(floe_obstacle_kind_name((floe_obstacle_kind)99), "unknown");
  floe_result_free(result);
}
END_TEST

/* If any allocation fails, a trace is complete or missing. */
START_TEST(memory_ends_in_waits) {
  bool whole = false;
  for (long n = 1; !whole; n++) {
    floe_result *result = NULL;
    ck_assert_int_lt(n, 5000);
    mem_fail_after(n);
    floe_status status = explore(stuck, 1, &result);
    mem_fail_after(0);
    if (status == FLOE_OK && floe_result_verdict(result, 0).trace) {
      ck_assert_uint_eq(floe_trace_blocked_transitions(floe_result_verdict(result, 0).trace), 2);
      whole = floe_result_unfired_transitions(result) > 0;
    }
    floe_result_free(result);
    ck_assert_uint_eq(mem_live(), 0);
  }
}
END_TEST

START_TEST(memory_ends) {
  floe_status status = FLOE_ERROR_MEMORY;
  for (long n = 1; status != FLOE_OK; n++) {
    floe_result *result = NULL;
    ck_assert_int_lt(n, 5000);
    mem_fail_after(n);
    status = explore(text, 1, &result);
    mem_fail_after(0);
    if (status == FLOE_OK && floe_result_unfired_transitions(result) == 0)
      status = FLOE_ERROR_MEMORY; /* a warning reported that there is no answer */
    floe_result_free(result);
    ck_assert_uint_eq(mem_live(), 0);
  }
}
END_TEST

START_TEST(nothing_is_left) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  return run_tests("why transitions never fired", CK_NOFORK, outlives_the_model, a_long_guard, waits_outlive_the_model,
                   memory_ends_in_waits, memory_ends, nothing_is_left);
}
