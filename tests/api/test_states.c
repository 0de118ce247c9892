/* States and expansions through the API: breadth-first search of the shipped models, states from values, texts and
   traces, two threads at once, errors, memory that ends. */
#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <glob.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STATES 2000 /* of a case; larger ones are omitted */
#define SLOTS 4096
#define EXAMINED 12 /* states of a case whose values, texts and blocked transitions are examined */

static floe_log *messages;
static floe_model *model;

static void begin(const char *text) {
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
  floe_status status = floe_model_parse("m.xml", text, strlen(text), messages, &model);
  status = status == FLOE_OK ? floe_model_check(model, messages) : status;
  ck_assert_msg(status == FLOE_OK, "%s", status ? floe_log_at(messages, 0)->message : "");
}

static void end(void) {
  floe_model_free(model);
  floe_log_free(messages);
  ck_assert_uint_eq(mem_live(), 0);
}

static floe_expansion *expand(const floe_state *state) {
  floe_expansion *expansion;
  ck_assert_int_eq(floe_expand(model, state, NULL, &expansion), FLOE_OK);
  return expansion;
}

static floe_state *initial(void) {
  floe_state *state;
  ck_assert_int_eq(floe_state_initial(model, messages, &state), FLOE_OK);
  return state;
}

/* ---- breadth-first search -------------------------------------------------------------------- */

struct search {
  floe_state *queue[SLOTS];
  uint16_t slots[SLOTS]; /* position in `queue` + 1; 0: empty */
  size_t count;
  int64_t transitions, levels, deadlocks;
};

static void add_state(struct search *search, const floe_state *state) {
  size_t slot = floe_state_hash(state) % SLOTS;
  for (; search->slots[slot]; slot = (slot + 1) % SLOTS)
    if (floe_state_equal(search->queue[search->slots[slot] - 1], state))
      return;
  ck_assert_uint_lt(search->count, SLOTS - 1);
  ck_assert_int_eq(floe_state_copy(state, &search->queue[search->count]), FLOE_OK);
  search->slots[slot] = (uint16_t)++search->count;
}

static void expand_state(struct search *search, const floe_state *state) {
  floe_expansion *expansion = expand(state);
  ck_assert(floe_state_equal(floe_expansion_state(expansion), state));
  search->deadlocks += floe_expansion_steps(expansion) == 0;
  for (size_t i = 0; i < floe_expansion_steps(expansion); i++) {
    const floe_state *next;
    if (floe_expansion_step_fails(expansion, i))
      continue;
    ck_assert_int_eq(floe_expansion_successor(expansion, i, &next), FLOE_OK);
    search->transitions++;
    add_state(search, next);
  }
  floe_expansion_free(expansion);
}

static struct search *search_all(void) {
  struct search *search = calloc(1, sizeof *search);
  floe_state *first = initial();
  add_state(search, first);
  floe_state_free(first);
  for (size_t from = 0; from < search->count; search->levels++)
    for (const size_t last = search->count; from < last; from++)
      expand_state(search, search->queue[from]);
  return search;
}

static void free_search(struct search *search) {
  for (size_t i = 0; i < search->count; i++)
    floe_state_free(search->queue[i]);
  free(search);
}

/* ---- one state ------------------------------------------------------------------------------- */

static void check_round_trips(const floe_state *state, floe_expansion *expansion) {
  const floe_change *values;
  size_t count;
  char text[2000];
  floe_state *again;
  ck_assert_int_eq(floe_expansion_values(expansion, &values, &count), FLOE_OK);
  floe_status status = floe_state_from_values(model, values, count, messages, &again);
  ck_assert_msg(status == FLOE_OK, "%s", status ? floe_log_at(messages, 0)->message : "");
  ck_assert(floe_state_equal(state, again));
  floe_state_free(again);
  ck_assert_uint_lt(floe_state_text(state, text, sizeof text), sizeof text);
  ck_assert_int_eq(floe_state_parse(model, text, messages, &again), FLOE_OK);
  ck_assert(floe_state_equal(state, again));
  floe_state_free(again);
}

static bool takes_part(const floe_step *step, const floe_blocked_transition *blocked) {
  for (size_t i = 0; i < step->participants; i++)
    if (step->participant_list[i].line == blocked->line &&
        strcmp(step->participant_list[i].name, blocked->process) == 0)
      return true;
  return false;
}

/* No transition is both in an enabled step and blocked. (Each is on a line of its own.) */
static void check_blocked(floe_expansion *expansion) {
  const floe_trace *blocked;
  ck_assert_int_eq(floe_expansion_blocked(expansion, 0, &blocked), FLOE_OK);
  for (size_t i = 0; i < floe_expansion_steps(expansion); i++) {
    floe_step step;
    ck_assert_int_eq(floe_expansion_step(expansion, i, &step), FLOE_OK);
    for (size_t b = 0; b < floe_trace_blocked_transitions(blocked); b++) {
      const floe_blocked_transition one = floe_trace_blocked_transition(blocked, b);
      ck_assert_msg(!takes_part(&step, &one), "%s: %s is blocked", step.action, one.process);
    }
  }
}

/* The text of a property, as an expression, has the value of the property. */
static void check_expressions(floe_expansion *expansion) {
  for (size_t i = 0; i < floe_model_properties(model); i++) {
    const floe_property property = floe_model_property(model, i);
    floe_property_value observed;
    floe_expression *expression;
    floe_evaluation evaluation;
    if (!property.text[0] || property.kind == FLOE_LTL)
      continue;
    ck_assert_int_eq(floe_expression_create(model, property.text, messages, &expression), FLOE_OK);
    ck_assert_int_eq(floe_expansion_evaluate(expansion, expression, &evaluation), FLOE_OK);
    ck_assert_int_eq(floe_expansion_property(expansion, i, &observed), FLOE_OK);
    ck_assert_msg(observed.triggered == ((evaluation.value != 0) != (property.kind == FLOE_INVARIANT)), "%s: %s",
                  property.text, evaluation.text);
    floe_expression_free(expression);
  }
}

static void check_states(const struct search *search) {
  for (size_t i = 0; i < EXAMINED; i++) {
    const floe_state *state = search->queue[i * search->count / EXAMINED];
    floe_expansion *expansion = expand(state);
    check_round_trips(state, expansion);
    check_blocked(expansion);
    check_expressions(expansion);
    floe_expansion_free(expansion);
  }
}

/* ---- shipped models -------------------------------------------------------------------------- */

/* The case with the fewest states. */
static bool choose_case(floe_expectation *chosen) {
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < floe_model_expectations(model); i++) {
    const int64_t states = floe_model_expectation(model, i).states;
    if (states > 0 && states <= MOST_STATES &&
        (best == SIZE_MAX || states < floe_model_expectation(model, best).states))
      best = i;
  }
  if (best == SIZE_MAX)
    return false;
  *chosen = floe_model_expectation(model, best);
  for (size_t i = 0; i < chosen->constants; i++) {
    const char *name, *value;
    floe_model_expected_constant(model, best, i, &name, &value);
    ck_assert_int_eq(floe_model_define(model, name, value, messages), FLOE_OK);
  }
  return true;
}

static void same_count(const char *path, const char *what, int64_t found, int64_t expected) {
  ck_assert_msg(expected < 0 || found == expected, "%s: %ld %s instead of %ld", path, (long)found, what,
                (long)expected);
}

static bool check_model(const char *path) {
  floe_expectation expected;
  ck_assert_int_eq(floe_model_load(path, messages, &model), FLOE_OK);
  const bool any = choose_case(&expected);
  if (any) {
    ck_assert_int_eq(floe_model_check(model, messages), FLOE_OK);
    struct search *search = search_all();
    same_count(path, "states", (int64_t)search->count, expected.states);
    same_count(path, "transitions", search->transitions, expected.transitions);
    same_count(path, "levels", search->levels, expected.levels);
    same_count(path, "deadlocks", search->deadlocks, expected.deadlocks);
    check_states(search);
    free_search(search);
  }
  floe_model_free(model);
  return any;
}

START_TEST(shipped_models) {
  char pattern[1024];
  const char *top = getenv("top_srcdir");
  glob_t paths = {0};
  size_t checked = 0;
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
  snprintf(pattern, sizeof pattern, "%s/models/*.xml", top ? top : ".");
  ck_assert_int_eq(glob(pattern, 0, NULL, &paths), 0);
  for (size_t i = 0; i < paths.gl_pathc; i++)
    checked += check_model(paths.gl_pathv[i]);
  ck_assert_uint_ge(checked, 20);
  globfree(&paths);
  floe_log_free(messages);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

static const char ring[] = "<model name='m'><variable name='x' size='4' range='0..4'/><process name='P' instances='4'>"
                           "<location name='a' initial='true'/><transition from='a' guard='x[self] lt 4' "
                           "effect='x[self]++'/></process><deadlock check='false'/></model>";

static void *search_in_thread(void *data) {
  (void)data;
  return search_all();
}

START_TEST(two_threads) {
  pthread_t threads[2];
  begin(ring);
  for (int i = 0; i < 2; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, search_in_thread, NULL), 0);
  for (int i = 0; i < 2; i++) {
    void *search;
    ck_assert_int_eq(pthread_join(threads[i], &search), 0);
    ck_assert_uint_eq(((struct search *)search)->count, 625);
    ck_assert_int_eq(((struct search *)search)->transitions, 4 * 4 * 125);
    free_search(search);
  }
  end();
}
END_TEST

/* ---- values ---------------------------------------------------------------------------------- */

static const char kinds[] =
    "<model name='m'><enumeration name='color' values='red, green'/><variable name='x' range='0..9'/>"
    "<variable name='b' type='bool'/><variable name='e' type='color'/><variable name='s' values='2, 5, 70..71' "
    "init='2'/>"
    "<variable name='a' size='2' range='0..3, 5..6' init='0, 5'/><variable name='k' range='0..3' init='2'/>"
    "<channel name='c' size='2' capacity='2' message='0..3, bool'/><channel name='one' capacity='1' message='color'/>"
    "<channel name='none' capacity='3'/>\n"
    "<process name='P'><location name='l' initial='true'/><location name='m'/>\n"
    "<transition from='l' to='m' label='go' guard='k == 2 and x lt 9' "
    "effect='x++; b = true; e = green; s = 5; a[0] = 1; a[1] = 6'/>\n"
    "<transition from='m' to='l' send='c[1](2, b)'/>\n<transition from='m' send='one(e)'/>\n"
    "<transition from='l' send='none'/></process></model>";

static floe_status set(const char *name, const char *value, floe_state **state) {
  const floe_change change = {name, "", value};
  floe_log_clear(messages);
  return floe_state_from_values(model, &change, 1, messages, state);
}

static void accepted(const char *name, const char *value, const char *shown) {
  floe_state *state;
  const floe_change *values;
  size_t count, i = 0;
  ck_assert_msg(set(name, value, &state) == FLOE_OK, "%s=%s", name, value);
  floe_expansion *expansion = expand(state);
  ck_assert_int_eq(floe_expansion_values(expansion, &values, &count), FLOE_OK);
  while (strcmp(values[i].name, name) != 0)
    ck_assert_uint_lt(++i, count);
  ck_assert_str_eq(values[i].after, shown);
  check_round_trips(state, expansion);
  floe_expansion_free(expansion);
  floe_state_free(state);
}

static void refused(const char *name, const char *value, const char *message, const char *hint) {
  floe_state *state;
  ck_assert_msg(set(name, value, &state) == FLOE_ERROR_USAGE, "%s=%s", name, value);
  ck_assert_uint_eq(floe_log_count(messages), 1);
  ck_assert_str_eq(floe_log_at(messages, 0)->message, message);
  ck_assert_str_eq(floe_log_at(messages, 0)->hint ? floe_log_at(messages, 0)->hint : "", hint);
}

START_TEST(values_by_name) {
  begin(kinds);
  accepted("x", "7", "7");
  accepted("b", "true", "true");
  accepted("e", "green", "green");
  accepted("s", "70", "70");
  accepted("a[1]", "6", "6");
  accepted("P", "m", "m");
  accepted("c[1]", " [ (1,true) , (3, false) ] ", "[(1, true), (3, false)]");
  accepted("c[0]", "[]", "[]");
  accepted("one", "[green]", "[green]");
  accepted("none", "[(), ()]", "[(), ()]");
  refused("x", "10", "'10' is no value of x", "0..9");
  refused("x", "7 ", "'7 ' is no value of x", "0..9");
  refused("x", "99999999999999999999", "'99999999999999999999' is no value of x", "0..9");
  refused("b", "1", "'1' is no value of b", "false or true");
  refused("e", "blue", "'blue' is no value of e", "red or green");
  refused("s", "6", "'6' is no value of s", "2, 5, 70..71");
  refused("a[0]", "5", "'5' is no value of a[0]", "0..3");
  refused("a[1]", "3", "'3' is no value of a[1]", "5..6");
  refused("P", "n", "'n' is no value of P", "l or m");
  refused("a[2]", "1", "no variable 'a[2]' that can change", "did you mean 'a[0]'?");
  refused("k", "1", "no variable 'k' that can change", "");
  static const char at_most[] = "[message, ...] with at most 2 messages, the oldest first";
  refused("c[1]", "[(1, true), (1, true), (1, true)]", "'[(1, true), (1, true), (1, true)]' is no value of c[1]",
          at_most);
  refused("c[1]", "[(1)]", "'[(1)]' is no value of c[1]", at_most);
  refused("c[1]", "[(4, true)]", "'[(4, true)]' is no value of c[1]", at_most);
  refused("c[1]", "[] x", "'[] x' is no value of c[1]", at_most);
  end();
}
END_TEST

/* Bits of no variable, values out of range, contents after the end of a channel. */
START_TEST(damaged_texts) {
  char good[200], bad[200];
  floe_state *state;
  size_t parsed = 0;
  begin(kinds);
  ck_assert_int_eq(set("c[1]", "[(1, true)]", &state), FLOE_OK);
  ck_assert_uint_eq(floe_state_text(state, bad, 5), floe_state_text(state, NULL, 0));
  ck_assert_uint_eq(strlen(bad), 4);
  const size_t length = floe_state_text(state, good, sizeof good);
  floe_state_free(state);
  for (size_t i = 0; i < length; i++)
    for (unsigned bit = 0; bit < 4; bit++) {
      const unsigned digit = (unsigned)(good[i] <= '9' ? good[i] - '0' : good[i] - 'a' + 10) ^ 1u << bit;
      memcpy(bad, good, length + 1);
      bad[i] = "0123456789abcdef"[digit];
      if (floe_state_parse(model, bad, messages, &state) != FLOE_OK)
        continue;
      parsed++;
      floe_expansion *expansion = expand(state);
      check_round_trips(state, expansion);
      floe_expansion_free(expansion);
      floe_state_free(state);
    }
  ck_assert_uint_gt(parsed, 5);
  ck_assert_uint_lt(parsed, length * 4 / 2);
  for (const char *const *text = (const char *const[]){"", "0", "x", NULL}; *text; text++)
    ck_assert_int_eq(floe_state_parse(model, *text, messages, &state), FLOE_ERROR_USAGE);
  end();
}
END_TEST

/* ---- traces ---------------------------------------------------------------------------------- */

static const char failing[] =
    "<model name='m'><variable name='x' range='0..3'/><channel name='c' capacity='3' message='0..3'/>"
    "<process name='P'><location name='l' initial='true'/>\n"
    "<transition from='l' label='up' guard='x lt 3' effect='x++'/>\n"
    "<transition from='l' label='put' guard='x == 2' send='c(x)'/>\n"
    "<transition from='l' label='over' guard='x == 3 and len(c) == 1' effect='x++'/></process><deadlock "
    "check='false'/></model>";

/* Each state of a trace has a step with the text of the trace to the next one. */
static void check_trace(const floe_trace *trace) {
  floe_state *state, *next;
  const floe_state *successor;
  const size_t steps = floe_trace_steps(trace);
  for (size_t i = 0; i + 1 < steps; i++) {
    floe_step step;
    size_t k = 0;
    ck_assert_int_eq(floe_state_of_trace(model, trace, i, messages, &state), FLOE_OK);
    ck_assert_int_eq(floe_state_of_trace(model, trace, i + 1, messages, &next), FLOE_OK);
    floe_expansion *expansion = expand(state);
    do
      ck_assert_int_eq(floe_expansion_step(expansion, k++, &step), FLOE_OK);
    while (strcmp(step.action, floe_trace_step(trace, i).action) != 0);
    ck_assert_int_eq(floe_expansion_successor(expansion, k - 1, &successor), FLOE_OK);
    ck_assert(floe_state_equal(successor, next));
    floe_expansion_free(expansion);
    floe_state_free(state);
    floe_state_free(next);
  }
}

START_TEST(states_of_a_trace) {
  floe_options options;
  floe_result *result;
  floe_state *state;
  const floe_state *successor;
  floe_step step;
  floe_options_init(&options);
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.threads = 1;
  begin(failing);
  ck_assert_int_eq(floe_explore(model, &options, messages, &result), FLOE_OK);
  const floe_trace *trace = floe_result_verdict(result, floe_result_verdicts(result) - 1).trace;
  ck_assert_uint_eq(floe_trace_steps(trace), 5);
  check_trace(trace);
  ck_assert_int_eq(floe_state_of_trace(model, trace, 4, messages, &state), FLOE_OK);
  ck_assert_int_eq(floe_state_of_trace(model, trace, 5, messages, &(floe_state *){NULL}), FLOE_ERROR_USAGE);
  floe_expansion *expansion = expand(state);
  const size_t last = floe_expansion_steps(expansion) - 1;
  ck_assert(floe_expansion_step_fails(expansion, last));
  ck_assert_int_eq(floe_expansion_step(expansion, last, &step), FLOE_OK);
  ck_assert_str_eq(step.cause, "assignment of 4 to x outside 0..3 (m.xml:4)");
  ck_assert_int_eq(floe_expansion_successor(expansion, last, &successor), FLOE_ERROR_MODEL);
  floe_expansion_free(expansion);
  floe_model_free(model);
  floe_log_free(messages);
  begin(kinds);
  floe_state *other = NULL;
  ck_assert_int_eq(floe_state_of_trace(model, trace, 0, messages, &other), FLOE_ERROR_USAGE);
  ck_assert_int_eq(floe_expand(model, state, messages, &expansion), FLOE_ERROR_USAGE);
  ck_assert_str_eq(floe_log_at(messages, floe_log_count(messages) - 1)->message, "the state is of another model");
  floe_state_free(state);
  floe_result_free(result);
  end();
}
END_TEST

/* ---- blocked transitions ----------------------------------------------------------------------- */

START_TEST(blocked_beside_steps) {
  const floe_trace *blocked;
  floe_state *state;
  begin(failing);
  ck_assert_int_eq(set("x", "2", &state), FLOE_OK);
  floe_expansion *expansion = expand(state);
  ck_assert_uint_eq(floe_expansion_steps(expansion), 2);
  ck_assert_int_eq(floe_expansion_blocked(expansion, 0, &blocked), FLOE_OK);
  ck_assert_uint_eq(floe_trace_blocked_transitions(blocked), 1);
  const floe_blocked_transition over = floe_trace_blocked_transition(blocked, 0);
  ck_assert_str_eq(over.label, "over");
  ck_assert_uint_eq(over.obstacles, 2);
  ck_assert_str_eq(over.obstacle_list[0].text, "x == 3");
  ck_assert_str_eq(over.obstacle_list[0].value_list[0].after, "2");
  floe_expansion_free(expansion);
  floe_state_free(state);
  end();
}
END_TEST

/* ---- expressions ------------------------------------------------------------------------------- */

static const char expressions[] =
    "<model name='m'><constant name='N' value='2'/><enumeration name='color' values='red, green'/>\n"
    "<define name='half' parameters='a'>a / x</define><variable name='x' range='0..9'/>"
    "<variable name='e' type='color'/><variable name='s' values='2, 70' init='70'/>"
    "<variable name='k' range='0..3' init='3'/><variable name='b' size='N' type='bool'/>"
    "<process name='P' instances='2'><variable name='y' range='0..3'/><location name='l' initial='true'/>"
    "<location name='m'/><transition from='l' to='m' effect='x = 4; e = green; s = 2; b[1] = true; y = 3'/>"
    "</process><property id='p' kind='invariant'>x lt 9</property></model>";

static void evaluates(floe_expansion *expansion, const char *text, const char *shown, const char *cause) {
  floe_expression *expression;
  floe_evaluation evaluation;
  ck_assert_msg(floe_expression_create(model, text, messages, &expression) == FLOE_OK, "%s", text);
  ck_assert_int_eq(floe_expansion_evaluate(expansion, expression, &evaluation), FLOE_OK);
  ck_assert_msg(strcmp(evaluation.text, shown) == 0 && strcmp(evaluation.cause, cause) == 0, "%s: %s %s", text,
                evaluation.text, evaluation.cause);
  floe_expression_free(expression);
}

static void wrong(const char *text, unsigned column, const char *message, const char *hint) {
  floe_expression *expression;
  floe_log_clear(messages);
  ck_assert_int_eq(floe_expression_create(model, text, messages, &expression), FLOE_ERROR_MODEL);
  ck_assert_uint_eq(floe_log_count(messages), 1);
  const floe_message *found = floe_log_at(messages, 0);
  ck_assert_str_eq(found->message, message);
  ck_assert_str_eq(found->hint ? found->hint : "", hint);
  ck_assert_str_eq(found->file, "expression");
  ck_assert_uint_eq(found->line, 1);
  ck_assert_uint_eq(found->column, column);
  ck_assert_str_eq(found->excerpt, text);
}

START_TEST(expressions_in_a_state) {
  const floe_state *next;
  begin(expressions);
  floe_state *first = initial();
  floe_expansion *before = expand(first);
  ck_assert_int_eq(floe_expansion_successor(before, 1, &next), FLOE_OK);
  floe_expansion *after = expand(next);
  evaluates(before, "x + N", "2", "");
  evaluates(after, "x + N", "6", "");
  evaluates(after, "e", "green", "");
  evaluates(before, "s + k", "73", "");
  evaluates(after, "s", "2", "");
  evaluates(after, "b[1]", "true", "");
  evaluates(after, "P[1].y", "3", "");
  evaluates(after, "P[1].m and not P[0].m", "true", "");
  evaluates(after, "count(i in P : P[i].m)", "1", "");
  evaluates(after, "x < 100", "true", "");
  evaluates(after, "half(9)", "2", "");
  evaluates(before, "half(9)", "", "division by zero: x is 0");
  evaluates(before, "1 / 0", "", "division by zero: 0 is 0");
  evaluates(before, "b[x - 1]", "", "index -1 of b outside 0..1");
  wrong("", 1, "expected an expression, but the text ends", "");
  wrong("x + \xc3\xa4", 5, "expected an expression, found '\xc3\xa4'", "");
  wrong("x + xx", 5, "unknown name 'xx'", "did you mean 'x'?");
  wrong("b + 1", 1, "array 'b' needs an index", "write b[...]");
  floe_expression *expression;
  floe_evaluation evaluation;
  ck_assert_int_eq(floe_expression_create(model, "x", messages, &expression), FLOE_OK);
  ck_assert_int_eq(floe_model_define(model, "N", "3", messages), FLOE_OK);
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_OK);
  floe_expansion_free(before);
  floe_expansion_free(after);
  floe_state_free(first);
  first = initial();
  before = expand(first);
  ck_assert_int_eq(floe_expansion_evaluate(before, expression, &evaluation), FLOE_ERROR_USAGE);
  floe_expansion_free(before);
  floe_state_free(first);
  floe_expression_free(expression);
  end();
}
END_TEST

/* ---- JSON -------------------------------------------------------------------------------------- */

static void written(floe_status status, FILE *stream, char **text, const char *expected) {
  ck_assert_int_eq(fclose(stream), 0);
  ck_assert_int_eq(status, FLOE_OK);
  ck_assert_str_eq(*text, expected);
  free(*text);
}

START_TEST(json) {
  const floe_change odd[] = {{"a\"\\\n", "", "-12"},
                             {"b", "", "99999999999999999999"},
                             {"c", "", "\xc3\xa9"},
                             {"d", "", "\xc3\xa9\xff"},
                             {"e", "", "true"}};
  const floe_trace *blocked;
  size_t length;
  char *text;
  floe_state *state;
  FILE *stream = open_memstream(&text, &length);
  written(
      floe_values_write_json(odd, 5, stream), stream, &text,
      "{\"a\\\"\\\\\\u000a\": -12, \"b\": \"99999999999999999999\", \"c\": \"\xc3\xa9\", \"d\": \"???\", \"e\": true}");
  begin(failing);
  ck_assert_int_eq(set("x", "3", &state), FLOE_OK);
  floe_expansion *expansion = expand(state);
  ck_assert_int_eq(floe_expansion_blocked(expansion, 0, &blocked), FLOE_OK);
  stream = open_memstream(&text, &length);
  written(
      floe_blocked_write_json(blocked, stream), stream, &text,
      "[{\"process\": \"P\", \"location\": \"l\", \"label\": \"up\", \"to\": \"l\", \"line\": 2, \"parameters\": {}, "
      "\"obstacles\": [{\"kind\": \"guard\", \"text\": \"x lt 3\", \"values\": {\"x\": 3}}]}, "
      "{\"process\": \"P\", \"location\": \"l\", \"label\": \"put\", \"to\": \"l\", \"line\": 3, \"parameters\": {}, "
      "\"obstacles\": [{\"kind\": \"guard\", \"text\": \"x == 2\", \"values\": {\"x\": 3}}]}, "
      "{\"process\": \"P\", \"location\": \"l\", \"label\": \"over\", \"to\": \"l\", \"line\": 4, \"parameters\": {}, "
      "\"obstacles\": [{\"kind\": \"guard\", \"text\": \"len(c) == 1\", \"values\": {\"len(c)\": 0}}]}]");
  floe_expansion_free(expansion);
  floe_state_free(state);
  const floe_change both[] = {{"x", "", "3"}, {"c", "", "[2]"}};
  ck_assert_int_eq(floe_state_from_values(model, both, 2, messages, &state), FLOE_OK);
  expansion = expand(state);
  stream = open_memstream(&text, &length);
  written(
      floe_expansion_write_json(expansion, stream), stream, &text,
      "{\"state\": \"0000000000000027\", \"values\": {\"x\": 3, \"c\": \"[2]\"}, \"steps\": [{\"action\": \"P over\", "
      "\"process\": \"P\", \"instance\": 0, \"label\": \"over\", \"parameters\": [], \"line\": 4, \"participants\": "
      "[{\"name\": \"P\", \"process\": \"P\", \"instance\": 0, \"label\": \"over\", \"from\": \"l\", \"to\": \"l\", "
      "\"line\": 4}], "
      "\"changes\": {}, \"fails\": \"assignment of 4 to x outside 0..3\", \"successor\": null}]}");
  floe_expansion_free(expansion);
  floe_state_free(state);
  ck_assert_int_eq(set("x", "1", &state), FLOE_OK);
  expansion = expand(state);
  stream = open_memstream(&text, &length);
  ck_assert_int_eq(floe_expansion_write_json(expansion, stream), FLOE_OK);
  ck_assert_int_eq(fclose(stream), 0);
  ck_assert_ptr_nonnull(
      strstr(text, "\"changes\": {\"x\": [1, 2]}, \"fails\": null, \"successor\": \"0000000000000002\"}]}"));
  free(text);
  floe_expansion_free(expansion);
  floe_state_free(state);
  end();
}
END_TEST

/* ---- memory ends ----------------------------------------------------------------------------- */

static floe_status use_all(void) {
  const floe_change change = {"c[0]", "", "[(1, true)]"};
  const floe_state *successor;
  const floe_change *values;
  const floe_trace *blocked;
  floe_expansion *expansion;
  floe_expression *expression;
  floe_evaluation evaluation;
  floe_state *state;
  floe_step step;
  size_t count;
  floe_status status = floe_state_from_values(model, &change, 1, NULL, &state);
  if (status != FLOE_OK)
    return status;
  status = floe_expand(model, state, NULL, &expansion);
  floe_state_free(state);
  if (status != FLOE_OK)
    return status;
  status = floe_expansion_values(expansion, &values, &count);
  if (status == FLOE_OK)
    status = floe_expansion_step(expansion, 0, &step);
  if (status == FLOE_OK)
    status = floe_expansion_successor(expansion, 0, &successor);
  if (status == FLOE_OK)
    status = floe_expansion_blocked(expansion, 0, &blocked);
  if (status == FLOE_OK)
    status = floe_expression_create(model, "x / 2 == 0", NULL, &expression);
  if (status == FLOE_OK) {
    status = floe_expansion_evaluate(expansion, expression, &evaluation);
    floe_expression_free(expression);
  }
  floe_expansion_free(expansion);
  return status;
}

START_TEST(memory_ends) {
  floe_status status = FLOE_ERROR_MEMORY;
  begin(kinds);
  const size_t live = mem_live();
  for (long n = 1; status != FLOE_OK; n++) {
    ck_assert_int_lt(n, 200);
    mem_fail_after(n);
    status = use_all();
    mem_fail_after(0);
    ck_assert(status == FLOE_OK || status == FLOE_ERROR_MEMORY);
    ck_assert_uint_eq(mem_live(), live);
  }
  end();
}
END_TEST

int main(void) {
  return run_tests("states", CK_NOFORK, shipped_models, two_threads, values_by_name, damaged_texts, states_of_a_trace,
                   blocked_beside_steps, expressions_in_a_state, json, memory_ends);
}
