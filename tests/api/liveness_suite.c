#include "tests/api/liveness_suite.h"

#include "core/mem.h"

#include <stdio.h>
#include <string.h>

floe_log *messages;
floe_model *model;
floe_options options;

void setup_liveness(void) {
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
  model = NULL;
  floe_options_init(&options);
  options.keep_going = true;
  options.memory = UINT64_C(64) << 20;
}

void teardown_liveness(void) {
  floe_model_free(model);
  floe_log_free(messages);
  ck_assert_uint_eq(mem_live(), 0);
}

const char *message(void) { return floe_log_count(messages) ? floe_log_at(messages, 0)->message : ""; }

void use_model(const char *declarations, const char *kind, const char *text) {
  char all[4000];
  snprintf(all, sizeof all,
           "<model name='m'>%s<deadlock check='false'/><property id='p' kind='%s'>%s</property></model>", declarations,
           kind, text);
  floe_model_free(model);
  model = NULL;
  ck_assert_msg(floe_model_parse("m", all, strlen(all), messages, &model) == FLOE_OK, "%s: %s", text, message());
  ck_assert_msg(floe_model_check(model, messages) == FLOE_OK, "%s: %s", text, message());
}

floe_result *explore(void) {
  floe_result *result;
  const floe_status status = floe_explore(model, &options, messages, &result);
  ck_assert_msg(status == FLOE_OK, "%s", message());
  return result;
}

/* The number of a step with this action between the states. */
static size_t firing_between(const floe_state *from, const floe_state *to, const char *action) {
  floe_expansion *expansion;
  size_t found = FLOE_NO_FIRING;
  ck_assert_int_eq(floe_expand(model, from, messages, &expansion), FLOE_OK);
  for (size_t i = 0; i < floe_expansion_steps(expansion) && found == FLOE_NO_FIRING; i++) {
    const floe_state *after;
    floe_step step;
    ck_assert_int_eq(floe_expansion_step(expansion, i, &step), FLOE_OK);
    if (!floe_expansion_step_fails(expansion, i) && strcmp(step.action, action) == 0 &&
        floe_expansion_successor(expansion, i, &after) == FLOE_OK && floe_state_equal(after, to))
      found = i;
  }
  floe_expansion_free(expansion);
  return found;
}

/* The constraints, judged again, are those of the trace. */
static void require_constraints(const floe_trace *trace, floe_state *const *states, size_t count, size_t loop,
                                const size_t *firings) {
  floe_fairness *fairness;
  ck_assert_int_eq(floe_run_fairness(model, 0, options.fairness, (const floe_state *const *)states, count, loop,
                                     firings, messages, &fairness),
                   FLOE_OK);
  ck_assert_uint_eq(floe_fairness_constraints(fairness), floe_trace_constraints(trace));
  for (size_t i = 0; i < floe_trace_constraints(trace); i++) {
    const floe_fair expected = floe_trace_constraint(trace, i), found = floe_fairness_constraint(fairness, i);
    ck_assert_str_eq(found.name, expected.name);
    ck_assert(found.strong == expected.strong && found.required == expected.required);
    ck_assert(found.reason == expected.reason && found.at == expected.at);
    ck_assert(!found.required || found.reason != FLOE_FAIR_VIOLATED);
  }
  floe_fairness_free(fairness);
}

void require_run(const floe_trace *trace) {
  const size_t steps = floe_trace_steps(trace), loop = floe_trace_loop(trace);
  floe_state *states[64];
  size_t firings[64];
  bool satisfied;
  ck_assert_uint_lt(steps, 64);
  ck_assert_uint_le(loop, steps);
  for (size_t i = 0; i <= steps; i++)
    ck_assert_msg(floe_state_of_trace(model, trace, i, messages, &states[i]) == FLOE_OK, "%s", message());
  ck_assert(floe_state_equal(states[loop], states[steps]));
  for (size_t i = 0; i < steps; i++) {
    firings[i] = firing_between(states[i], states[i + 1], floe_trace_step(trace, i).action);
    ck_assert_uint_ne(firings[i], FLOE_NO_FIRING);
  }
  firings[steps] = FLOE_NO_FIRING;
  ck_assert_int_eq(floe_run_satisfies(model, 0, (const floe_state *const *)states, steps + (loop == steps), loop,
                                      firings, messages, &satisfied),
                   FLOE_OK);
  ck_assert(!satisfied);
  require_constraints(trace, states, steps + (loop == steps), loop, firings);
  for (size_t i = 0; i <= steps; i++)
    floe_state_free(states[i]);
}

void require(const char *text, floe_verdict_value value) {
  floe_result *result = explore();
  const floe_verdict verdict = floe_result_verdict(result, 0);
  ck_assert_msg(verdict.value == value, "%s: %s", text, floe_verdict_name(verdict.value));
  ck_assert_int_eq(verdict.satisfied, value == FLOE_HOLDS);
  ck_assert_int_eq(verdict.undecided, FLOE_UNDECIDED_NONE);
  ck_assert_int_eq(verdict.trace != NULL, value == FLOE_VIOLATED);
  ck_assert_int_eq(verdict.depth, verdict.trace ? (int64_t)floe_trace_steps(verdict.trace) : -1);
  if (verdict.trace)
    require_run(verdict.trace);
  floe_result_free(result);
}

void require_undecided(floe_undecided why) {
  floe_result *result = explore();
  const floe_verdict verdict = floe_result_verdict(result, 0);
  ck_assert_int_eq(verdict.value, FLOE_UNDECIDED);
  ck_assert_int_eq(verdict.undecided, why);
  ck_assert(!verdict.satisfied && !verdict.trace);
  floe_result_free(result);
}

const char five_counters[] =
    "<process name='P' instances='5'><variable name='x' range='0..5'/>"
    "<location name='a' initial='true'/><transition from='a' effect='x = (x + 1) % 6'/></process>";
