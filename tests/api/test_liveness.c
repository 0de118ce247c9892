/* Temporal properties: verdicts, and runs that violate, on engines, threads, tables and encodings; what leaves them
   undecided; what is refused. With EMULATED on an emulated GPU. */
#ifdef EMULATED
#include "tests/gpu/device/emulated_gpu_api.h"
#include "tests/gpu/device/emulated_suite.h"
#endif

#include "api/explore/explore.h"
#include "api/explore/first_part.h"
#include "engine/cycles/attempts.h"
#include "tests/api/liveness_suite.h"

#include <stdio.h>
#include <string.h>

/* ---- verdicts ------------------------------------------------------------------------------------- */

/* Counts to 3 and stops, or repeats 1 and 2. */
static const char counter[] = "<variable name='x' range='0..7'/><process name='P'><location name='a' initial='true'/>"
                              "<location name='end'/><transition from='a' guard='x lt 3' effect='x = x + 1'/>"
                              "<transition from='a' guard='x == 2' effect='x = 1'/>"
                              "<transition from='a' to='end' guard='x == 3'/></process>";
/* The same in states of several words. */
static const char wide[] = "<variable name='x' range='0..7'/><variable name='far' range='0..1000000' size='6'/>"
                           "<process name='P'><location name='a' initial='true'/><location name='end'/>"
                           "<transition from='a' guard='x lt 3' effect='x = x + 1; far[x] = x'/>"
                           "<transition from='a' guard='x == 2' effect='x = 1'/>"
                           "<transition from='a' to='end' guard='x == 3'/></process>";

/* A state with more predecessors than a counter holds. */
static const char hub[] = "<variable name='x' range='0..300'/><process name='P'><location name='a' initial='true'/>"
                          "<location name='b'/><location name='c'/><location name='d'/>"
                          "<transition from='a' to='b' select='n in 0..300' effect='x = n'/>"
                          "<transition from='b' to='c' effect='x = 0'/><transition from='c' to='d'/></process>";

static const struct {
  const char *kind, *text;
  floe_verdict_value value;
} claims[] = {
    {"ltl", "eventually x == 2", FLOE_HOLDS},
    {"ltl", "eventually x == 3", FLOE_VIOLATED},
    {"ltl", "always eventually x == 2", FLOE_VIOLATED}, /* it stops */
    {"ltl", "always eventually (x == 2 or P.end)", FLOE_HOLDS},
    {"ltl", "always (x == 1 implies next (x == 2 or x == 5))", FLOE_HOLDS},
    {"ltl", "x le 1 until x == 2", FLOE_HOLDS},
    {"ltl", "x le 1 weakuntil x == 7", FLOE_VIOLATED},
    {"ltl", "x == 3 release x le 3", FLOE_HOLDS},
    {"ltl", "x == 7 release x le 2", FLOE_VIOLATED},
    {"ltl", "(eventually always P.end) or always eventually x == 1", FLOE_HOLDS},
    {"ltl", "eventually always P.end", FLOE_VIOLATED},
    {"ltl", "[] (P.end implies X P.end)", FLOE_HOLDS},
    {"ltl", "x == 0", FLOE_HOLDS},
    {"ltl", "x == 1", FLOE_VIOLATED},
    {"ltl", "true", FLOE_HOLDS},
    {"ltl", "false", FLOE_VIOLATED},
    {"ltl", "all(i in 0..2 : eventually x == i)", FLOE_HOLDS},
    {"ltl", "exists(i in 3..7 : eventually x == i)", FLOE_VIOLATED},
    {"eventually", "x == 2", FLOE_HOLDS},
    {"leadsto", "x == 1 leadsto x == 2", FLOE_HOLDS},
    {"leadsto", "x == 2 --> x == 3", FLOE_VIOLATED},
};

static void require_all(const char *declarations) {
  for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
    use_model(declarations, claims[i].kind, claims[i].text);
    require(claims[i].text, claims[i].value);
  }
}

#ifdef EMULATED
/* No message that the CPU decides. */
START_TEST(verdicts) {
  options.engine = FLOE_ENGINE_GPU;
  options.cache_dir = "";
  require_all(counter);
  use_model(hub, "ltl", "eventually P.d");
  require("hub", FLOE_HOLDS);
  options.encoding = FLOE_ENCODING_INDEX;
  options.table = "bitmap";
  use_model(counter, "ltl", "always eventually x == 2");
  require("bitmap", FLOE_VIOLATED);
  options.encoding = FLOE_ENCODING_FIELDS;
  options.table = "iceberg";
  use_model(wide, "ltl", "eventually always P.end");
  require("wide", FLOE_VIOLATED);
  use_model(wide, "ltl", "eventually x == 2");
  require("wide", FLOE_HOLDS);
  for (size_t i = 0; i < floe_log_count(messages); i++)
    ck_assert_ptr_null(strstr(floe_log_at(messages, i)->message, "CPU"));
}
END_TEST
#else
START_TEST(verdicts) {
  static const floe_engine engines[] = {FLOE_ENGINE_INTERPRETER, FLOE_ENGINE_CPU};
  options.compiler = "cc -O0";
  options.cache_dir = "";
  options.threads = 2;
  require_all(counter); /* AUTO */
  use_model(hub, "ltl", "eventually P.d");
  require("hub", FLOE_HOLDS);
  options.engine = FLOE_ENGINE_INTERPRETER;
  require_all(wide);
  options.encoding = FLOE_ENCODING_INDEX;
  options.table = "bitmap";
  require_all(counter);
  for (size_t e = 0; e < 2; e++)
    for (options.threads = 1; options.threads <= 3; options.threads += 2) {
      options.engine = engines[e];
      options.encoding = FLOE_ENCODING_FIELDS;
      options.table = "iceberg";
      use_model(e ? wide : counter, "ltl", "eventually always P.end");
      require("eventually always P.end", FLOE_VIOLATED);
    }
}
END_TEST
#endif

#ifndef EMULATED
/* ---- enabled, taken, conditions that can fail ------------------------------------------------------ */

/* P[0] and P[1] turn the light on, C and D shake hands while it is on, B broadcasts to them; x is an index. */
static const char processes[] =
    "<channel name='hands'/><channel name='all' broadcast='true'/>"
    "<variable name='x' range='0..3'/><variable name='a' type='bool' size='3' init='1'/>"
    "<process name='P' instances='2'><location name='off' initial='true'/><location name='on'/>"
    "<transition from='off' to='on' label='go' select='i in 0..4' guard='i == x + 1' effect='x++'/>"
    "<transition from='on' to='off' label='back' effect='x--'/></process>"
    "<process name='C'><location name='c' initial='true'/>"
    "<transition from='c' label='shake' guard='x gt 0' send='hands'/><transition from='c' receive='all'/></process>"
    "<process name='D'><location name='d' initial='true'/><location name='urgent' committed='true'/>"
    "<transition from='d' to='urgent' label='meet' receive='hands'/><transition from='urgent' to='d' label='leave'/>"
    "</process><process name='B'><location name='b' initial='true'/>"
    "<transition from='b' label='call' guard='x == 2' send='all'/></process>";

static const struct {
  const char *kind, *text;
  floe_verdict_value value;
} about_firings[] = {
    {"ltl", "always (enabled(P[0].go) == (P[0].off and not D.urgent))", FLOE_HOLDS},
    {"ltl", "always (enabled(P[0]) == not D.urgent)", FLOE_HOLDS},
    {"ltl", "always enabled(P[0])", FLOE_VIOLATED}, /* a committed location has priority */
    {"ltl", "always (enabled(meet) == enabled(shake))", FLOE_HOLDS},
    {"ltl", "always (enabled(C) == (x gt 0 and not D.urgent))", FLOE_HOLDS}, /* not as a receiver of the broadcast */
    {"ltl", "always (enabled(D) == (x gt 0 or D.urgent))", FLOE_HOLDS},      /* partner of the handshake */
    {"ltl", "always (enabled(B) == enabled(call))", FLOE_HOLDS},
    {"ltl", "always enabled(B)", FLOE_VIOLATED},
    {"ltl", "always (count(i in P : enabled(P[i].go)) + x == (D.urgent ? x : 2))", FLOE_HOLDS},
    {"ltl", "always (taken(P[0].go) implies P[0].off and next P[0].on)", FLOE_HOLDS},
    {"ltl", "always (P[0].off and next P[0].on implies taken(P[0].go) and taken(go) and taken(P[0]))", FLOE_HOLDS},
    {"ltl", "always (taken(go) implies taken(P[0]))", FLOE_VIOLATED}, /* the other instance */
    {"ltl", "always (taken(C) == taken(shake) and taken(shake) == taken(meet))", FLOE_HOLDS},
    {"ltl", "always (taken(D) == (taken(meet) or taken(leave)))", FLOE_HOLDS},
    {"ltl", "always (taken(call) implies not taken(C))", FLOE_HOLDS}, /* a receiver does not count */
    {"ltl", "always (taken(go) or taken(back) or taken(shake) or taken(leave) or taken(call))", FLOE_HOLDS},
    {"ltl", "always (taken(B) implies x == 2)", FLOE_HOLDS},
    {"ltl", "always (taken(D.meet) implies next taken(leave))", FLOE_HOLDS},
    {"ltl", "always (enabled(P[1].back) implies eventually taken(P[1].back))", FLOE_VIOLATED},
    {"eventually", "taken(P[0]) or taken(P[1])", FLOE_HOLDS},
    {"leadsto", "taken(meet) leadsto taken(leave)", FLOE_HOLDS},
    {"leadsto", "enabled(call) leadsto taken(call)", FLOE_VIOLATED},
    /* conditions that can fail, but do not */
    {"ltl", "always (a[x] or x == 7)", FLOE_HOLDS},
    {"ltl", "always (a[x] and 2 / (x + 1) gt 0 implies eventually x == 0)", FLOE_VIOLATED},
    {"ltl", "always (x gt 0 implies 2 / x gt 0)", FLOE_HOLDS},
    {"ltl", "always (x == 0 or 2 / x gt 0 or eventually false)", FLOE_HOLDS},
    {"ltl", "always (eventually false or x == 0 or 2 / x gt 0)", FLOE_HOLDS},
    {"ltl", "always (x gt 0 implies (taken(go) implies 2 / x gt 0))", FLOE_HOLDS},
    {"ltl", "always all(i in 0..1 : x gt i implies (taken(P[i]) or 2 / (x - i) gt 0))", FLOE_HOLDS},
    {"ltl", "always not (x gt 0 and not taken(back) and 2 / x == 0)", FLOE_HOLDS},
    {"ltl", "always (enabled(B) implies 2 / x == 1)", FLOE_HOLDS},
};

/* One of `part`, so that fewer products are compiled. */
static void require_about_firings(size_t part) {
  for (size_t i = 0; i < sizeof about_firings / sizeof *about_firings; i += part) {
    use_model(processes, about_firings[i].kind, about_firings[i].text);
    require(about_firings[i].text, about_firings[i].value);
  }
}

START_TEST(firings_and_failing_conditions) {
  options.compiler = "cc -O0";
  options.cache_dir = "";
  options.engine = FLOE_ENGINE_INTERPRETER;
  require_about_firings(1);
  options.engine = FLOE_ENGINE_CPU;
  options.threads = 3;
  require_about_firings(at_length() ? 1 : 5);
}
END_TEST

/* The step at the end of a run that stays is no firing. */
START_TEST(taken_in_a_deadlock) {
  static const char stops[] = "<process name='P'><location name='a' initial='true'/><location name='b'/>"
                              "<transition from='a' to='b' label='stop'/></process>";
  options.engine = FLOE_ENGINE_INTERPRETER;
  use_model(stops, "ltl", "taken(stop) and next always (not taken(P) and not enabled(P))");
  require("no firing", FLOE_HOLDS);
  use_model(stops, "ltl", "always eventually taken(P)");
  require("no firing", FLOE_VIOLATED);
}
END_TEST

/* More edges of a state of the automaton than a mask has bits. */
START_TEST(many_edges) {
  static const char values[] = "<variable name='x' range='0..99'/><process name='P'><location name='a' initial='true'/>"
                               "<transition from='a' effect='x = (x + 1) % 8'/></process>";
  options.compiler = "cc -O0";
  options.cache_dir = "";
  options.engine = FLOE_ENGINE_CPU;
  use_model(values, "ltl", "not all(i in 1..7 : eventually x == i)");
  require("all values", FLOE_VIOLATED);
  options.engine = FLOE_ENGINE_INTERPRETER;
  use_model(values, "ltl", "not all(i in 2..8 : eventually x == i)");
  require("not all values", FLOE_HOLDS);
}
END_TEST
#endif

/* ---- undecided ------------------------------------------------------------------------------------ */

#ifndef EMULATED
START_TEST(undecided) {
  use_model(five_counters, "ltl", "always eventually P[0].x == 0");
  options.max_states = 1000;
  require_undecided(FLOE_UNDECIDED_END);
  options.max_states = UINT64_MAX;
  use_model("<variable name='x' range='0..3'/><process name='P'><location name='a' initial='true'/>"
            "<transition from='a' effect='x = x + 1'/></process>",
            "ltl", "always eventually x == 0");
  require_undecided(FLOE_UNDECIDED_STEP); /* a run with another step might violate it */
}
END_TEST
#endif

#ifndef EMULATED
static void require_error(const char *text, bool fails) {
  static const floe_engine engines[] = {FLOE_ENGINE_INTERPRETER, FLOE_ENGINE_CPU};
  static size_t calls;
  for (size_t e = 0; e < (at_length() || calls % 4 == 0 ? 2 : 1); e++) {
    options.engine = engines[e];
    use_model(processes, "ltl", text);
    floe_result *result = explore();
    const floe_verdict verdict = floe_result_verdict(result, 0), errors = floe_result_verdict(result, 1);
    ck_assert_msg((verdict.value == FLOE_UNDECIDED) == fails, "%s: %s", text, floe_verdict_name(verdict.value));
    ck_assert_int_eq(verdict.undecided, fails ? FLOE_UNDECIDED_EVALUATION : FLOE_UNDECIDED_NONE);
    ck_assert_str_eq(errors.property.id, "errors");
    ck_assert_int_eq(errors.value, fails ? FLOE_VIOLATED : FLOE_HOLDS);
    ck_assert(!fails || (errors.depth == 0 && errors.trace && errors.cause[0]));
    floe_result_free(result);
  }
  calls++;
}

/* Which conditions are evaluated: "Errors of evaluation in temporal properties". */
START_TEST(failing_conditions) {
  options.compiler = "cc -O0";
  options.cache_dir = "";
  require_error("always 2 / x gt 0", true);
  require_error("eventually (x gt 0 and 2 / x gt 0)", false);
  require_error("x gt 0 implies 2 / x gt 0", false);
  require_error("x gt 0 and eventually 2 / x gt 0", true); /* a part of its own */
  require_error("x gt 0 implies eventually false and 2 / x gt 0", false);
  require_error("eventually true and 2 / x gt 0", true); /* `eventually` is unknown */
  require_error("taken(go) and 2 / x gt 0", true);
  require_error("x gt 0 and taken(go) and 2 / x gt 0", false);
  require_error("(taken(go) and x gt 0) and 2 / x gt 0", false);
  require_error("(taken(go) or x gt 0) and 2 / x gt 0", true);
  require_error("not (taken(go) and x gt 0) or 2 / x gt 0", false);
  require_error("exists(i in 0..1 : x == i or taken(go) and 2 / (x - i) == 1)", false);
  require_error("all(i in 0..1 : taken(go) or 2 / (x - i) == 1)", true);
  require_error("(taken(go) == (x == 0)) or 2 / x gt 0", true);
  require_error("(2 / x gt 0) until x == 0", true);
  require_error("x == 0 until (x gt 0 and 2 / x gt 0)", false);
  require_error("false and 2 / x gt 0 and eventually true", false); /* decided by a constant */
}
END_TEST

#endif

#ifdef EMULATED
/* Less memory of the device than the product needs, or its passes: the CPU decides, and says so. */
START_TEST(memory_of_the_product) {
  size_t on_cpu = 0, on_gpu = 0;
  options.engine = FLOE_ENGINE_GPU;
  options.cache_dir = "";
  use_model(five_counters, "ltl", "always eventually P[0].x == 0");
  for (options.gpu_memory = 1 << 20; options.gpu_memory <= 4 << 20; options.gpu_memory *= 2) {
    floe_log_clear(messages);
    require("five_counters", FLOE_VIOLATED);
    bool said = false;
    for (size_t i = 0; i < floe_log_count(messages); i++)
      said = said || strstr(floe_log_at(messages, i)->message, "decided on the CPU");
    on_cpu += said;
    on_gpu += !said;
  }
  printf("memory: %zu on the CPU, %zu on the GPU\n", on_cpu, on_gpu);
  ck_assert_uint_gt(on_gpu, 0);
}
END_TEST
#else
/* A budget for the model's search alone: the product's states, or the passes over them, have no memory. */
START_TEST(memory_of_the_product) {
  size_t product = 0, decided = 0;
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.threads = 1;
  use_model(five_counters, "ltl", "always eventually P[0].x == 0");
  for (options.memory = 80 << 10; options.memory <= 260 << 10; options.memory += 10 << 10) {
    floe_result *result = explore();
    const floe_verdict verdict = floe_result_verdict(result, 0);
    ck_assert(verdict.value == FLOE_UNDECIDED || verdict.value == FLOE_VIOLATED);
    product += verdict.undecided == FLOE_UNDECIDED_PRODUCT;
    decided += verdict.value == FLOE_VIOLATED;
    floe_result_free(result);
  }
  ck_assert_uint_gt(product, 0);
  ck_assert_uint_gt(decided, 0);
}
END_TEST
#endif

/* ---- ends before all states are found ------------------------------------------------------------- */

#define DEEP(bound)                                                                                                    \
  "<variable name='x' range='0.." bound "' size='3'/><variable name='y' range='0..1'/>"                                \
  "<process name='P' instances='3'><location name='a' initial='true'/>"                                                \
  "<transition from='a' guard='x[self] lt " bound "' effect='x[self] = x[self] + 1'/></process>"                       \
  "<process name='Q'><location name='a' initial='true'/>"                                                              \
  "<transition from='a' guard='x[0] ge 3' effect='y = 1 - y'/></process>"

static const char *const only[] = {"p"};

static void bound_searches(uint64_t first_part, uint64_t first_attempt) {
  first_part_states = first_part;
  liveness_first_attempt = first_attempt;
}

static void setup_early(void) {
  setup_liveness();
  options.keep_going = false;
  options.properties = only;
  options.property_count = 1;
  options.cache_dir = "";
  options.compiler = "cc -O0";
  bound_searches(200, 1000);
}

static void teardown_early(void) {
  bound_searches(UINT64_C(1) << 16, CYCLE_ATTEMPTS_FROM);
  teardown_liveness();
}

#ifdef EMULATED
/* 10^9 states and more. */
START_TEST(ends_early) {
  options.engine = FLOE_ENGINE_GPU;
  options.timeout = 300;
  use_model(DEEP("999"), "ltl", "eventually always y == 0");
  floe_result *result = explore();
  const floe_verdict verdict = floe_result_verdict(result, 0);
  ck_assert_msg(verdict.value == FLOE_VIOLATED, "%s", floe_verdict_name(verdict.value));
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_DECIDED);
  require_run(verdict.trace);
  for (size_t i = 0; i < floe_log_count(messages); i++)
    ck_assert_ptr_null(strstr(floe_log_at(messages, i)->message, "CPU"));
  floe_result_free(result);
}
END_TEST
#else
/* 10^9 states and more; the summary is that of the first engine and thread. */
static void require_early(const char *declarations, const char *text) {
  static const floe_engine engines[] = {FLOE_ENGINE_INTERPRETER, FLOE_ENGINE_CPU};
  static const unsigned threads[] = {1, 2, 8};
  uint64_t states = 0;
  int64_t depth = 0;
  use_model(declarations, "ltl", text);
  for (size_t i = 0; i < 6; i++) {
    options.engine = engines[i / 3];
    options.threads = threads[i % 3];
    if (i > 0 && i != 5 && !at_length())
      continue;
    floe_result *result = explore();
    const floe_summary *summary = floe_result_summary(result);
    const floe_verdict verdict = floe_result_verdict(result, 0);
    ck_assert_msg(verdict.value == FLOE_VIOLATED, "%s: %s", text, floe_verdict_name(verdict.value));
    ck_assert_int_eq(summary->end, FLOE_END_DECIDED);
    ck_assert_uint_gt(summary->states, 200);
    ck_assert_uint_lt(summary->states, 1000);
    require_run(verdict.trace);
    ck_assert(i == 0 || (summary->states == states && verdict.depth == depth));
    states = summary->states;
    depth = verdict.depth;
    floe_result_free(result);
  }
}

START_TEST(ends_early) {
  require_early(DEEP("999"), "eventually x[0] == 900");
  require_early(DEEP("999"), "eventually always y == 0");
  require_early(DEEP("100000000"), "always eventually x[1] == x[2] + 1"); /* several words */
}
END_TEST

static uint64_t certificate_of(const floe_result *result, char *text, size_t size) {
  const floe_summary *summary = floe_result_summary(result);
  ck_assert_int_eq(summary->end, FLOE_END_COMPLETE);
  snprintf(text, size, "%s", summary->certificate);
  return summary->states;
}

/* A property that holds, and the same states as without a first part. */
static void require_whole(const char *text) {
  char all[200], after[200];
  bound_searches(200, 1000);
  use_model(five_counters, "ltl", text);
  floe_result *result = explore();
  ck_assert_int_eq(floe_result_verdict(result, 0).value, FLOE_HOLDS);
  ck_assert_uint_eq(certificate_of(result, after, sizeof after), 7776);
  floe_result_free(result);
  bound_searches(UINT64_MAX, 0);
  result = explore();
  ck_assert_int_eq(floe_result_verdict(result, 0).value, FLOE_HOLDS);
  certificate_of(result, all, sizeof all);
  ck_assert_str_eq(all, after);
  floe_result_free(result);
}

START_TEST(explores_the_rest) {
  options.engine = FLOE_ENGINE_INTERPRETER;
  require_whole("always P[0].x le 5");
  require_whole("always eventually P[0].x == 0 or eventually always P[0].x gt 0");
  bound_searches(200, 1000);
  use_model(five_counters, "ltl", "always eventually P[0].x == 0");
  options.keep_going = true;
  floe_result *result = explore();
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_COMPLETE);
  ck_assert_int_eq(floe_result_verdict(result, 0).value, FLOE_VIOLATED);
  floe_result_free(result);
  options.keep_going = false;
  options.max_states = 1000;
  require_undecided(FLOE_UNDECIDED_END);
}
END_TEST

/* The other properties are decided, too; where conditions can fail, the model's other states are missing. */
START_TEST(others_when_early) {
  static const char *const ids[] = {"p", "q", "r"};
  static const char text[] =
      "<model name='m'><process name='P' instances='5'><variable name='x' range='0..5'/>"
      "<location name='a' initial='true'/><transition from='a' effect='x = (x + 1) % 6'/></process>"
      "<property id='p' kind='ltl'>always eventually P[0].x == 0</property>"
      "<property id='q' kind='ltl'>always P[0].x le 5</property>"
      "<property id='r' kind='ltl'>always (P[0].x == 0 or 2 / P[0].x ge 0)</property></model>";
  ck_assert_int_eq(floe_model_parse("m", text, strlen(text), messages, &model), FLOE_OK);
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.properties = ids;
  options.property_count = 3;
  floe_result *result = explore();
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_DECIDED);
  ck_assert_int_eq(floe_result_verdict(result, 0).value, FLOE_VIOLATED);
  ck_assert_int_eq(floe_result_verdict(result, 1).value, FLOE_HOLDS);
  ck_assert_int_eq(floe_result_verdict(result, 2).value, FLOE_UNDECIDED);
  ck_assert_int_eq(floe_result_verdict(result, 2).undecided, FLOE_UNDECIDED_END);
  floe_result_free(result);
  options.properties = ids + 1;
  options.property_count = 2;
  result = explore();
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_COMPLETE);
  ck_assert_int_eq(floe_result_verdict(result, 0).value, FLOE_HOLDS);
  ck_assert_int_eq(floe_result_verdict(result, 1).value, FLOE_HOLDS);
  floe_result_free(result);
}
END_TEST
#endif

#ifndef EMULATED
START_TEST(other_violations) {
  use_model(counter, "ltl", "eventually x == 3");
  options.traces = false;
  floe_result *result = explore();
  ck_assert_int_eq(floe_result_verdict(result, 0).value, FLOE_VIOLATED);
  ck_assert_ptr_null(floe_result_verdict(result, 0).trace);
  floe_result_free(result);
}
END_TEST

START_TEST(refused) {
  floe_result *result;
  use_model("<variable name='x' range='0..99'/><process name='P'><location name='a' initial='true'/>"
            "<transition from='a' effect='x = 1'/></process>",
            "ltl", "not all(i in 0..8 : eventually x == i)");
  ck_assert_int_eq(floe_explore(model, &options, messages, &result), FLOE_ERROR_UNSUPPORTED);
  ck_assert_msg(strstr(message(), "is too large"), "%s", message());
}
END_TEST
#endif

int main(void) {
#ifdef EMULATED
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
#endif
  TCase *tests = tcase_create("liveness");
  tcase_add_checked_fixture(tests, setup_liveness, teardown_liveness);
#ifdef EMULATED
  tcase_set_timeout(tests, 0);
  add_tests(tests, verdicts, memory_of_the_product);
#else
  tcase_set_timeout(tests, 120);
  add_tests(tests, verdicts, firings_and_failing_conditions, taken_in_a_deadlock, many_edges, undecided,
            failing_conditions, memory_of_the_product, other_violations, refused);
#endif
  add_checkpoint_tests(tests);
  TCase *early = tcase_create("early");
  tcase_add_checked_fixture(early, setup_early, teardown_early);
#ifdef EMULATED
  tcase_set_timeout(early, 0);
  add_tests(early, ends_early);
  return emulated_run("liveness, emulated GPU", tests, early);
#else
  tcase_set_timeout(early, 120);
  add_tests(early, ends_early, explores_the_rest, others_when_early);
  return suite_end(run_suite("liveness", CK_NOFORK, tests, early));
#endif
}
