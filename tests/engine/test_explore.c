/* Exploration through the public API on small models: verdicts, traces, errors of the model, early
 * ends. */
#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <string.h>

static floe_log *messages;

#define TWO_COUNTERS                                                                                                   \
  "<model name='two'><variable name='x' range='0..3'/><variable name='y' range='0..3'/>"                               \
  "<process name='P'><location name='l' initial='true'/>"                                                              \
  "<transition from='l' label='right' guard='x lt 3' effect='x++'/>"                                                   \
  "<transition from='l' label='up' guard='y lt 3' effect='y++'/></process>"                                            \
  "<property id='low' kind='invariant'>x + y le 4</property>"                                                          \
  "<property id='far' kind='never'>x == 3 and y == 1</property>"                                                       \
  "<property id='corner' kind='reachable'>x == 3 and y == 3</property>"                                                \
  "<property id='none' kind='reachable'>x gt y + 3</property>"                                                         \
  "<property id='sane' kind='invariant'>x ge 0</property></model>"

static floe_model *parse(const char *text) {
  floe_model *model;
  floe_log_clear(messages);
  floe_status status = floe_model_parse("model.xml", text, strlen(text), messages, &model);
  for (size_t i = 0; i < floe_log_count(messages); i++)
    if (status != FLOE_OK)
      fprintf(stderr, "%s\n", floe_log_at(messages, i)->message);
  ck_assert_int_eq(status, FLOE_OK);
  return model;
}

static floe_options interpreter(void) {
  floe_options options;
  floe_options_init(&options);
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.threads = 2;
  options.memory = (uint64_t)256 << 20;
  return options;
}

static floe_result *explore(floe_model *model, const floe_options *options) {
  floe_result *result;
  floe_status status = floe_explore(model, options, messages, &result);
  for (size_t i = 0; i < floe_log_count(messages); i++)
    if (status != FLOE_OK)
      fprintf(stderr, "%s\n", floe_log_at(messages, i)->message);
  ck_assert_int_eq(status, FLOE_OK);
  return result;
}

static floe_verdict verdict(const floe_result *result, const char *id) {
  for (size_t i = 0; i < floe_result_verdicts(result); i++)
    if (strcmp(floe_result_verdict(result, i).property.id, id) == 0)
      return floe_result_verdict(result, i);
  ck_abort_msg("no verdict for %s", id);
}

static void check_verdict(const floe_result *result, const char *id, floe_verdict_value value, int64_t depth) {
  floe_verdict found = verdict(result, id);
  ck_assert_msg(found.value == value && found.depth == depth, "%s is %s at depth %lld", id,
                floe_verdict_name(found.value), (long long)found.depth);
  ck_assert_int_eq(found.satisfied, value == FLOE_HOLDS || value == FLOE_IS_REACHABLE);
}

/* Every change of a trace starts from the value shown before. */
static void check_chain(const floe_trace *trace) {
  size_t n = floe_trace_variables(trace);
  const char **values = mem_array(n, sizeof *values);
  for (size_t i = 0; i < n; i++)
    values[i] = floe_trace_initial_value(trace, i).after;
  for (size_t s = 0; s < floe_trace_steps(trace); s++) {
    for (size_t c = 0; c < floe_trace_step(trace, s).changes; c++) {
      floe_change change = floe_trace_change(trace, s, c);
      size_t i = 0;
      while (i < n && strcmp(floe_trace_initial_value(trace, i).name, change.name) != 0)
        i++;
      ck_assert_uint_lt(i, n);
      ck_assert_str_eq(change.before, values[i]);
      ck_assert_str_ne(change.after, values[i]);
      values[i] = change.after;
    }
  }
  mem_free(values);
}

static const floe_trace *trace_of(const floe_result *result, const char *id, size_t steps) {
  const floe_trace *trace = verdict(result, id).trace;
  ck_assert_ptr_nonnull(trace);
  ck_assert_uint_eq(floe_trace_steps(trace), steps);
  check_chain(trace);
  return trace;
}

START_TEST(test_verdicts) {
  floe_model *model = parse(TWO_COUNTERS);
  for (unsigned threads = 1; threads < 4; threads++) {
    floe_options options = interpreter();
    options.keep_going = true;
    options.threads = threads;
    floe_result *result = explore(model, &options);
    const floe_summary *summary = floe_result_summary(result);
    ck_assert(summary->complete);
    ck_assert_uint_eq(summary->states, 16);
    ck_assert_uint_eq(summary->transitions, 24);
    ck_assert_uint_eq(summary->levels, 7);
    ck_assert_uint_eq(summary->deadlocks, 1);
    ck_assert_uint_eq(floe_result_fired(result, 0), 12);
    check_verdict(result, "low", FLOE_VIOLATED, 5);
    check_verdict(result, "far", FLOE_VIOLATED, 4);
    check_verdict(result, "corner", FLOE_IS_REACHABLE, 6);
    check_verdict(result, "none", FLOE_UNREACHABLE, -1);
    check_verdict(result, "sane", FLOE_HOLDS, -1);
    check_verdict(result, "deadlock", FLOE_VIOLATED, 6);
    check_verdict(result, "errors", FLOE_HOLDS, -1);
    const floe_trace *trace = trace_of(result, "low", 5);
    ck_assert_uint_eq(floe_trace_variables(trace), 2);
    const char *text, *value;
    floe_trace_subexpression(trace, 0, &text, &value);
    ck_assert_str_eq(text, "x + y");
    ck_assert_str_eq(value, "5");
    trace_of(result, "far", 4);
    trace_of(result, "corner", 6);
    trace_of(result, "deadlock", 6);
    ck_assert_str_eq(floe_trace_step(trace, 0).process, "P");
    ck_assert_uint_eq(floe_trace_step(trace, 0).line, 1);
    floe_result_free(result);
  }
  floe_model_free(model);
}
END_TEST

START_TEST(test_stops_at_first_violation) {
  floe_model *model = parse(TWO_COUNTERS);
  floe_options options = interpreter();
  floe_result *result = explore(model, &options);
  const floe_summary *summary = floe_result_summary(result);
  ck_assert_int_eq(summary->end, FLOE_END_DECIDED);
  ck_assert_uint_eq(summary->complete_depth, 4);
  check_verdict(result, "far", FLOE_VIOLATED, 4);
  check_verdict(result, "low", FLOE_UNDECIDED, -1);
  check_verdict(result, "sane", FLOE_UNDECIDED, -1);
  floe_result_free(result);
  floe_model_free(model);
}
END_TEST

START_TEST(test_selection) {
  floe_model *model = parse(TWO_COUNTERS);
  floe_options options = interpreter();
  const char *ids[] = {"corner", "none"};
  options.properties = ids;
  options.property_count = 1;
  floe_result *result = explore(model, &options);
  ck_assert_uint_eq(floe_result_verdicts(result), 1);
  check_verdict(result, "corner", FLOE_IS_REACHABLE, 6);
  floe_result_free(result);
  options.property_count = 2;
  result = explore(model, &options);
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_COMPLETE);
  check_verdict(result, "none", FLOE_UNREACHABLE, -1);
  floe_result_free(result);
  options.count_only = true;
  result = explore(model, &options);
  ck_assert_uint_eq(floe_result_verdicts(result), 1);
  check_verdict(result, "errors", FLOE_HOLDS, -1);
  floe_result_free(result);
  floe_model_free(model);
}
END_TEST

static const floe_message *first_error(void) {
  for (size_t i = 0; i < floe_log_count(messages); i++)
    if (floe_log_at(messages, i)->severity == FLOE_ERROR)
      return floe_log_at(messages, i);
  ck_abort_msg("no error is logged");
}

static void check_refused(floe_model *model, const floe_options *options, floe_status wanted, const char *message,
                          const char *hint) {
  floe_result *result;
  floe_log_clear(messages);
  ck_assert_int_eq(floe_explore(model, options, messages, &result), wanted);
  const floe_message *found = first_error();
  ck_assert_msg(strstr(found->message, message) != NULL, "message: %s", found->message);
  if (hint)
    ck_assert_str_eq(found->hint, hint);
}

START_TEST(test_refused) {
  floe_model *model = parse(TWO_COUNTERS);
  floe_options options = interpreter();
  const char *ids[] = {"cornr"};
  options.properties = ids;
  options.property_count = 1;
  check_refused(model, &options, FLOE_ERROR_USAGE, "no property 'cornr'",
                "properties: 'corner', 'none', 'low', 'far', 'sane', 'errors' and 'deadlock'");
  options.property_count = 0;
  check_refused(model, &options, FLOE_ERROR_USAGE, "no property is selected", NULL);
  options = interpreter();
  options.table = "icebreg";
  check_refused(model, &options, FLOE_ERROR_USAGE, "no table 'icebreg'", "did you mean 'iceberg'?");
  options = interpreter();
  options.slot_bits = 20;
  check_refused(model, &options, FLOE_ERROR_USAGE, "slots have", NULL);
  options = interpreter();
  options.engine = FLOE_ENGINE_GPU;
  options.gpu_device = 1023; /* also with a GPU; tests/gpu/devices.sh checks the reason */
  check_refused(model, &options, FLOE_ERROR_UNSUPPORTED, "", "--engine=cpu explores on all cores");
  options = interpreter();
  options.memory = 4096;
  check_refused(model, &options, FLOE_ERROR_MEMORY, "4096", NULL);
  floe_model_free(model);
}
END_TEST

#define THREE_COUNTERS                                                                                                 \
  "<model name='three'><constant name='K' value='19' range='1..99'/>"                                                  \
  "<process name='P' instances='3'><variable name='n' range='0..99'/>"                                                 \
  "<location name='l' initial='true'/>"                                                                                \
  "<transition from='l' guard='n lt K' effect='n++'/></process>"                                                       \
  "<deadlock check='false'/><expect states='8000'/>"                                                                   \
  "<expect constants='K=24' states='15625'/><expect constants='K=9' states='77'/></model>"

static floe_summary explore_k(const char *k, uint64_t expected, uint64_t slots) {
  floe_model *model = parse(THREE_COUNTERS);
  floe_options options = interpreter();
  options.expected_states = expected;
  options.initial_slots = slots;
  options.table = "iceberg";
  if (k)
    ck_assert_int_eq(floe_model_define(model, "K", k, messages), FLOE_OK);
  floe_result *result = explore(model, &options);
  floe_summary summary = *floe_result_summary(result);
  ck_assert(summary.complete);
  floe_result_free(result);
  floe_model_free(model);
  return summary;
}

/* The table is made for the number of states that the model expects for these constants, or the caller expects. */
START_TEST(test_expected_states) {
  floe_summary as_written = explore_k(NULL, 0, 0), other = explore_k("24", 0, 0);
  ck_assert_uint_eq(as_written.states, 8000);
  ck_assert_uint_eq(other.states, 15625);
  ck_assert_uint_eq(as_written.growths + other.growths, 0);
  ck_assert_double_ge(as_written.table_fill, 0.85);
  ck_assert_double_ge(other.table_fill, 0.85);
  floe_summary none = explore_k("21", 0, 0); /* the model does not mention it */
  ck_assert_uint_eq(none.states, 10648);
  ck_assert_double_le(none.table_fill, 0.25);
  floe_summary wrong = explore_k("9", 0, 0); /* 1000 states, not 77 */
  ck_assert_uint_eq(wrong.states, 1000);
  ck_assert_uint_ge(wrong.growths, 1);
  floe_summary given = explore_k(NULL, 100000, 0);
  ck_assert_uint_eq(given.states, 8000);
  ck_assert_double_le(given.table_fill, 0.1);
  ck_assert_uint_ge(explore_k(NULL, 100000, 1).growths, 1); /* the number of slots overrides the number of states */
}
END_TEST

/* 97 bits of fields, and index keys are no narrower: the initial state, and all choices of twelve. */
START_TEST(test_wide) {
  floe_model *model =
      parse("<model name='wide'><variable name='small' type='bool'/>"
            "<variable name='big' range='0..255' size='12'/>"
            "<process name='P'><location name='l' initial='true'/>"
            "<transition from='l' select='i in 0..11, v in 0..1' effect='big[i] = 255*v; small = true'/>"
            "</process></model>");
  floe_options options = interpreter();
  floe_result *result = explore(model, &options);
  const floe_summary *summary = floe_result_summary(result);
  ck_assert_uint_eq(summary->states, 1 + (1 << 12));
  ck_assert_uint_eq(summary->transitions, 24 * summary->states);
  ck_assert_uint_eq(summary->key_bits, 97);
  floe_result_free(result);
  floe_model_free(model);
}
END_TEST

/* ---- errors of the model --------------------------------------------------------------------- */

/* A model whose only process makes `guard` and `effect` after two steps. */
static floe_model *failing(const char *guard, const char *effect, const char *property) {
  char text[2000];
  snprintf(text, sizeof text,
           "<model name='failing'>\n<variable name='x' range='0..3'/>\n"
           "<variable name='a' range='0..9' size='3'/>\n<process name='P' instances='2'>\n"
           "<location name='l' initial='true'/><location name='m'/>\n"
           "<transition from='l' guard='x lt 2' effect='x++; a[x] = 1'/>\n"
           "<transition from='l' to='m' label='bad' guard='x == 2 and (%s)' effect='%s'/>\n"
           "</process>\n%s\n</model>",
           guard, effect, property);
  return parse(text);
}

static void check_failure(floe_model *model, const char *cause, size_t steps) {
  floe_options options = interpreter();
  options.keep_going = true;
  floe_result *result = explore(model, &options);
  check_verdict(result, "errors", FLOE_VIOLATED, 2);
  ck_assert_str_eq(verdict(result, "errors").cause, cause);
  const floe_trace *trace = trace_of(result, "errors", steps);
  if (steps == 3) {
    ck_assert_str_eq(floe_trace_step(trace, 2).label, "bad");
    ck_assert_str_eq(floe_trace_step(trace, 2).action, "P[0] bad");
    ck_assert_uint_eq(floe_trace_step(trace, 2).changes, 0);
    ck_assert_uint_eq(floe_trace_step(trace, 2).line, 7);
  }
  ck_assert_str_eq(floe_trace_step(trace, 0).label, "");
  ck_assert_str_eq(floe_trace_step(trace, 0).action, "P[0] l -> l");
  floe_result_free(result);
  floe_model_free(model);
}

START_TEST(test_errors_of_the_model) {
  check_failure(failing("true", "x = x + 3", ""), "assignment of 5 to x outside 0..3 (model.xml:7)", 3);
  check_failure(failing("true", "a[x * 2] = 0", ""), "index 4 of a outside 0..2 (model.xml:7)", 3);
  check_failure(failing("a[x + 1] == 0", "x = 0", ""), "index 3 of a outside 0..2 (model.xml:7)", 3);
  check_failure(failing("true", "a[0] = 5 / (x - 2)", ""), "division by zero: (x - 2) is 0 (model.xml:7)", 3);
  check_failure(failing("true", "x = 0; assert(x == 1)", ""), "assertion fails: x == 1 (model.xml:7)", 3);
  check_failure(failing("false", "x = 0", "<property id='p' kind='invariant'>x lt 2 or a[x + 2] ge 0</property>"),
                "index 4 of a outside 0..2 (model.xml:9)", 2);
}
END_TEST

START_TEST(test_errors_are_told_whatever_is_selected) {
  floe_model *model = failing("true", "x = x + 3", "<property id='p' kind='invariant'>true</property>");
  floe_options options = interpreter();
  const char *ids[] = {"p"};
  options.properties = ids;
  options.property_count = 1;
  floe_result *result = explore(model, &options);
  check_verdict(result, "errors", FLOE_VIOLATED, 2);
  floe_result_free(result);
  floe_model_free(model);
}
END_TEST

/* p fails in some state and holds in all others: undecided. q cannot fail. */
START_TEST(test_a_property_that_fails_is_undecided) {
  floe_model *model = failing("false", "x = 0",
                              "<property id='p' kind='invariant'>x lt 2 or a[x + 2] ge 0</property>"
                              "<property id='r' kind='reachable'>x == 2 and a[x + 2] gt 5</property>"
                              "<property id='q' kind='invariant'>x le 2</property>");
  floe_options options = interpreter();
  options.keep_going = true;
  floe_result *result = explore(model, &options);
  ck_assert(floe_result_summary(result)->complete);
  check_verdict(result, "errors", FLOE_VIOLATED, 2);
  check_verdict(result, "p", FLOE_UNDECIDED, -1);
  check_verdict(result, "r", FLOE_UNDECIDED, -1);
  check_verdict(result, "q", FLOE_HOLDS, -1);
  ck_assert(!floe_result_summary(result)->firing_failed);
  ck_assert_int_eq(verdict(result, "p").undecided, FLOE_UNDECIDED_EVALUATION);
  ck_assert_int_eq(verdict(result, "q").undecided, FLOE_UNDECIDED_NONE);
  floe_result_free(result);
  floe_model_free(model);
}
END_TEST

/* A step fails where x is 2. Results found before stand; nothing is concluded for the rest. */
START_TEST(test_after_a_failing_step_nothing_holds) {
  floe_model *model = failing("true", "x = x + 3",
                              "<property id='p' kind='invariant'>x lt 1</property>"
                              "<property id='q' kind='invariant'>x le 2</property>"
                              "<property id='r' kind='reachable'>x == 3</property>");
  floe_options options = interpreter();
  options.keep_going = true;
  floe_result *result = explore(model, &options);
  const floe_summary *summary = floe_result_summary(result);
  ck_assert(summary->complete && summary->firing_failed);
  ck_assert_uint_eq(summary->firing_failed_depth, 2);
  check_verdict(result, "errors", FLOE_VIOLATED, 2);
  check_verdict(result, "p", FLOE_VIOLATED, 1);
  check_verdict(result, "q", FLOE_UNDECIDED, -1);
  check_verdict(result, "r", FLOE_UNDECIDED, -1);
  check_verdict(result, "deadlock", FLOE_UNDECIDED, -1);
  ck_assert_int_eq(verdict(result, "p").undecided, FLOE_UNDECIDED_NONE);
  ck_assert_int_eq(verdict(result, "q").undecided, FLOE_UNDECIDED_STEP);
  ck_assert_str_eq(floe_undecided_name(verdict(result, "r").undecided), "step");
  floe_result_free(result);
  options.keep_going = false;
  result = explore(model, &options);
  ck_assert(!floe_result_summary(result)->firing_failed); /* not yet */
  ck_assert_int_eq(verdict(result, "q").undecided, FLOE_UNDECIDED_END);
  floe_result_free(result);
  floe_model_free(model);
}
END_TEST

/* ---- synchronisation in traces --------------------------------------------------------------- */

START_TEST(test_synchronisation) {
  floe_model *model = parse("<model name='sync'><variable name='got' range='0..3'/>"
                            "<channel name='h' message='0..3'/><channel name='b' broadcast='true'/>"
                            "<channel name='q' size='2' capacity='2' message='0..3, bool'/>"
                            "<process name='S'><location name='s0' initial='true'/><location name='s1'/>"
                            "<location name='s2'/><location name='s3'/>"
                            "<transition from='s0' to='s1' label='send' select='i in 0..3' guard='i == 2' send='h(i)'/>"
                            "<transition from='s1' to='s2' label='call' send='b'/>"
                            "<transition from='s2' to='s3' send='q[1](3, true)'/></process>"
                            "<process name='R' instances='2'><location name='r0' initial='true'/><location name='r1'/>"
                            "<transition from='r0' label='get' guard='self == 0' receive='h(got)'/>"
                            "<transition from='r0' to='r1' label='hear' receive='b'/></process>"
                            "<property id='end' kind='reachable'>S.s3</property><deadlock check='false'/></model>");
  floe_options options = interpreter();
  floe_result *result = explore(model, &options);
  const floe_trace *trace = trace_of(result, "end", 3);
  ck_assert_str_eq(floe_trace_step(trace, 0).action, "S send {i=2} -> R[0] get");
  ck_assert_str_eq(floe_trace_step(trace, 1).action, "S call -> R[0] hear, R[1] hear");
  ck_assert_str_eq(floe_trace_step(trace, 2).action, "S s2 -> s3");
  bool found = false;
  for (size_t i = 0; i < floe_trace_step(trace, 2).changes; i++) {
    floe_change change = floe_trace_change(trace, 2, i);
    if (strcmp(change.name, "q[1]") != 0)
      continue;
    found = true;
    ck_assert_str_eq(change.before, "[]");
    ck_assert_str_eq(change.after, "[(3, true)]");
  }
  ck_assert(found);
  floe_result_free(result);
  floe_model_free(model);
}
END_TEST

/* ---- early ends, engines, failures ----------------------------------------------------------- */

START_TEST(test_bounds) {
  floe_model *model = parse(TWO_COUNTERS);
  floe_options options = interpreter();
  options.max_depth = 3;
  floe_result *result = explore(model, &options);
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_DEPTH);
  ck_assert_uint_eq(floe_result_summary(result)->levels, 4);
  check_verdict(result, "sane", FLOE_UNDECIDED, -1);
  floe_result_free(result);
  options.max_depth = 4; /* the violation is at the bound itself */
  result = explore(model, &options);
  check_verdict(result, "far", FLOE_VIOLATED, 4);
  trace_of(result, "far", 4);
  floe_result_free(result);
  options = interpreter();
  options.keep_going = true;
  options.max_states = 5;
  result = explore(model, &options);
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_STATES);
  ck_assert_uint_eq(floe_result_summary(result)->states, 6);
  floe_result_free(result);
  floe_model_free(model);
}
END_TEST

START_TEST(test_interrupt_before_start) {
  floe_model *model = parse(TWO_COUNTERS);
  floe_options options = interpreter();
  floe_interrupt();
  floe_result *result = explore(model, &options);
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_INTERRUPT);
  ck_assert(!floe_result_summary(result)->any_complete);
  floe_result_free(result);
  result = explore(model, &options); /* cleared */
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_DECIDED);
  floe_result_free(result);
  floe_model_free(model);
}
END_TEST

START_TEST(test_engines_agree) {
  floe_model *model = parse(TWO_COUNTERS);
  char certificates[3][200];
  static const floe_engine engines[] = {FLOE_ENGINE_INTERPRETER, FLOE_ENGINE_CPU, FLOE_ENGINE_AUTO};
  for (size_t i = 0; i < 3; i++) {
    floe_options options = interpreter();
    options.engine = engines[i];
    options.keep_going = true;
    floe_result *result = explore(model, &options);
    snprintf(certificates[i], sizeof certificates[i], "%s", floe_result_summary(result)->certificate);
    trace_of(result, "corner", 6);
    floe_result_free(result);
  }
  ck_assert_str_eq(certificates[0], certificates[1]);
  ck_assert_str_eq(certificates[0], certificates[2]);
  ck_assert_ptr_nonnull(strstr(certificates[0], "floe1 states=16 transitions=24 levels=7 "));
  floe_model_free(model);
}
END_TEST

/* Formats a whole trace. */
static void put_trace(const floe_trace *trace, char *text, size_t size) {
  size_t used = 0;
  for (size_t s = 0; s < floe_trace_steps(trace); s++) {
    used += (size_t)snprintf(text + used, size - used, "%s:", floe_trace_step(trace, s).action);
    for (size_t c = 0; c < floe_trace_step(trace, s).changes; c++) {
      floe_change change = floe_trace_change(trace, s, c);
      used += (size_t)snprintf(text + used, size - used, " %s %s -> %s", change.name, change.before, change.after);
    }
    used += (size_t)snprintf(text + used, size - used, "\n");
    ck_assert_uint_lt(used, size);
  }
}

/* Several thousand states, so that levels are expanded by all threads; the trace does not depend on which finds it. */
START_TEST(test_traces_are_the_same) {
  floe_model *model = parse("<model name='grid'><constant name='N' value='5'/><process name='P' instances='N'>"
                            "<variable name='x' range='0..7'/><location name='l' initial='true'/>"
                            "<transition from='l' label='up' select='i in 1..2' guard='x + i le 7' effect='x += i'/>"
                            "</process><property id='sum' kind='never'>sum(p in P : P[p].x) == 17</property>"
                            "<property id='one' kind='reachable'>P[3].x == 6 and P[1].x == 5</property></model>");
  char first[2][4000];
  for (unsigned run = 0; run < 5; run++) {
    floe_options options = interpreter();
    options.engine = run == 4 ? FLOE_ENGINE_CPU : FLOE_ENGINE_INTERPRETER;
    options.threads = run % 4 + 1;
    options.keep_going = true;
    floe_result *result = explore(model, &options);
    for (unsigned i = 0; i < 2; i++) {
      char text[4000];
      put_trace(trace_of(result, i ? "one" : "sum", i ? 6 : 9), run ? text : first[i], sizeof text);
      if (run)
        ck_assert_str_eq(text, first[i]);
    }
    floe_result_free(result);
  }
  floe_model_free(model);
}
END_TEST

START_TEST(test_no_compiler) {
  floe_model *model = parse(TWO_COUNTERS);
  floe_options options = interpreter();
  options.engine = FLOE_ENGINE_CPU;
  options.compiler = "";
  floe_result *result = explore(model, &options);
  ck_assert_str_eq(floe_result_summary(result)->engine, "cpu");
  ck_assert_ptr_nonnull(strstr(floe_result_summary(result)->engine_detail, "table of arcs"));
  ck_assert_uint_eq(floe_log_errors(messages), 0);
  floe_result_free(result);
  floe_model_free(model);
}
END_TEST

START_TEST(test_result_outlives_model) {
  floe_model *model = parse(TWO_COUNTERS);
  floe_options options = interpreter();
  floe_result *result = explore(model, &options);
  floe_model_free(model);
  const floe_trace *trace = trace_of(result, "far", 4);
  ck_assert_str_eq(floe_trace_step(trace, 0).process, "P");
  ck_assert_str_eq(floe_trace_initial_value(trace, 0).name, "x");
  floe_result_free(result);
}
END_TEST

/* If any allocation fails: an error, or a result with correct verdicts. */
START_TEST(test_allocation_failures) {
  floe_model *model = parse(TWO_COUNTERS);
  floe_options options = interpreter();
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_OK);
  bool passed = false;
  for (long n = 1; n < 2000 && !passed; n++) {
    floe_result *result;
    floe_log_clear(messages);
    size_t live = mem_live();
    mem_fail_after(n);
    floe_status status = floe_explore(model, &options, messages, &result);
    mem_fail_after(0);
    if (status == FLOE_OK) {
      floe_verdict far = verdict(result, "far");
      ck_assert(far.value == FLOE_UNDECIDED || (far.value == FLOE_VIOLATED && far.depth == 4));
      passed = far.trace && n > 100;
      floe_result_free(result);
    } else {
      ck_assert_int_eq(status, FLOE_ERROR_MEMORY);
    }
    floe_log_clear(messages);
    ck_assert_uint_le(mem_live(), live);
  }
  ck_assert(passed);
  floe_model_free(model);
}
END_TEST

int main(void) {
  if (floe_log_create(&messages) != FLOE_OK)
    return 99;
  const int failed =
      run_tests("explore", CK_NOFORK, test_verdicts, test_stops_at_first_violation, test_selection, test_refused,
                test_expected_states, test_wide, test_errors_of_the_model, test_errors_are_told_whatever_is_selected,
                test_a_property_that_fails_is_undecided, test_after_a_failing_step_nothing_holds, test_synchronisation,
                test_bounds, test_interrupt_before_start, test_engines_agree, test_traces_are_the_same,
                test_no_compiler, test_result_outlives_model, test_allocation_failures);
  floe_log_free(messages);
  return suite_end(failed);
}
