/* A model without processes, in a language with a notation of its own, through the public interface: on the interpreter
   and as compiled code, with EMULATED on an emulated GPU. tests/model/net.sh does the same with the command. */
#ifdef EMULATED
#include "tests/gpu/device/emulated_suite.h"
#endif

#include "api/languages.h"
#include "core/arena.h"
#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"
#include "toy_net.h"

#include <stdlib.h>
#include <string.h>

static const char net[] = "net\n"
                          "p 3\n"
                          "q 0\n"
                          "r 0\n"
                          "move: p 1 -> q 1\n"
                          "join: q 2 -> r 1\n"
                          "spill k 1..2: r -> p\n"
                          "stuck: p 9 -> q 1\n"
                          "never r 1\n";

static floe_model *model;
static floe_result *result;

static void open_net(const char *text) {
  result = NULL;
  ck_assert_int_eq(floe_model_parse("m.net", text, strlen(text), NULL, &model), FLOE_OK);
  ck_assert_int_eq(floe_model_check(model, NULL), FLOE_OK);
}

static void explore(floe_engine engine) {
  floe_options options;
  floe_options_init(&options);
  options.engine = engine;
  options.threads = 1;
  options.encoding = FLOE_ENCODING_FIELDS; /* the same traces on all engines */
  options.memory = UINT64_C(64) << 20;
  options.keep_going = true;
  options.explain_unfired = true;
  ck_assert_int_eq(floe_explore(model, &options, NULL, &result), FLOE_OK);
}

static void close_net(void) {
  floe_result_free(result);
  floe_model_free(model);
}

/* ---- results --------------------------------------------------------------------------------- */

static void is_step(const floe_trace *trace, size_t i, const char *action, unsigned line, const char *place,
                    const char *before, const char *after) {
  const floe_step step = floe_trace_step(trace, i);
  ck_assert_str_eq(step.action, action);
  ck_assert_str_eq(step.process, "");
  ck_assert_uint_eq(step.line, line);
  ck_assert_uint_eq(step.changes, 2);
  ck_assert_str_eq(step.change_list[1].name, place);
  ck_assert_str_eq(step.change_list[1].before, before);
  ck_assert_str_eq(step.change_list[1].after, after);
}

/* The part of the property is in the notation of the language. */
static void shows_violation(const floe_verdict *verdict) {
  const char *text, *value;
  ck_assert_str_eq(verdict->property.id, "[r] = 1");
  ck_assert_int_eq(verdict->value, FLOE_VIOLATED);
  ck_assert_int_eq(verdict->depth, 3);
  is_step(verdict->trace, 0, "move", 5, "[q]", "none", "1");
  is_step(verdict->trace, 1, "move", 5, "[q]", "1", "2");
  is_step(verdict->trace, 2, "join", 6, "[r]", "none", "1");
  ck_assert_uint_eq(floe_trace_subexpressions(verdict->trace), 1);
  floe_trace_subexpression(verdict->trace, 0, &text, &value);
  ck_assert_str_eq(text, "[r]");
  ck_assert_str_eq(value, "1");
}

static void is_blocked(const floe_trace *trace, size_t i, const char *name, const char *guard, const char *value) {
  const floe_blocked_transition blocked = floe_trace_blocked_transition(trace, i);
  ck_assert_str_eq(blocked.process, "");
  ck_assert_str_eq(blocked.location, "");
  ck_assert_str_eq(blocked.label, name);
  ck_assert_str_eq(blocked.to, "");
  ck_assert_uint_eq(blocked.line, 5 + i);
  ck_assert_uint_eq(blocked.obstacles, 1);
  ck_assert_int_eq(blocked.obstacle_list[0].kind, FLOE_OBSTACLE_GUARD);
  ck_assert_str_eq(blocked.obstacle_list[0].text, guard);
  ck_assert_uint_ge(blocked.obstacle_list[0].values, 1);
  ck_assert_str_eq(blocked.obstacle_list[0].value_list[0].after, value);
}

static void shows_deadlock(const floe_verdict *verdict) {
  ck_assert_int_eq(verdict->value, FLOE_VIOLATED);
  ck_assert_int_eq(verdict->depth, 9);
  ck_assert_str_eq(floe_trace_step(verdict->trace, 3).action, "spill {k=1}");
  ck_assert_uint_eq(floe_trace_blocked_transitions(verdict->trace), 4);
  is_blocked(verdict->trace, 0, "move", "[p] >= 1", "none");
  is_blocked(verdict->trace, 1, "join", "[q] >= 2", "1");
  is_blocked(verdict->trace, 2, "spill", "[r] >= k", "none");
  is_blocked(verdict->trace, 3, "stuck", "[p] >= 9", "none");
}

static void shows_unfired(void) {
  ck_assert_uint_eq(floe_result_unfired_transitions(result), 1);
  const floe_unfired stuck = floe_result_unfired(result, 0);
  ck_assert_str_eq(floe_model_transition(model, stuck.transition).label, "stuck");
  ck_assert_str_eq(stuck.participants, "stuck");
  ck_assert_uint_eq(stuck.conditions, 1);
  ck_assert_str_eq(floe_result_unfired_condition(result, 0, 0).text, "[p] >= 9");
  ck_assert_uint_eq(floe_result_unfired_condition(result, 0, 0).states, 0);
  ck_assert_str_eq(floe_result_unfired_value(result, 0, 0).name, "[p]");
}

static void same_results(floe_engine engine) {
  open_net(net);
  explore(engine);
  const floe_summary *summary = floe_result_summary(result);
  ck_assert_uint_eq(summary->states, 12);
  ck_assert_uint_eq(summary->transitions, 13);
  ck_assert_uint_eq(summary->levels, 10);
  ck_assert_uint_eq(summary->deadlocks, 1);
  ck_assert_uint_eq(floe_result_fired(result, 2), 3); /* spill */
  const floe_verdict one = floe_result_verdict(result, 0), deadlock = floe_result_verdict(result, 1);
  shows_violation(&one);
  shows_deadlock(&deadlock);
  ck_assert_int_eq(floe_result_verdict(result, 2).value, FLOE_HOLDS);
  shows_unfired();
  close_net();
}

#ifdef EMULATED
START_TEST(on_the_emulated_gpu) { same_results(FLOE_ENGINE_GPU); }
END_TEST
#else
START_TEST(interpreted) { same_results(FLOE_ENGINE_INTERPRETER); }
END_TEST

START_TEST(compiled) { same_results(FLOE_ENGINE_CPU); }
END_TEST

/* A value that leaves its range. */
START_TEST(failing_step) {
  open_net("net\np 1\nq 9\nmove: p 1 -> q 1\n");
  explore(FLOE_ENGINE_CPU);
  const floe_verdict errors = floe_result_verdict(result, 1);
  ck_assert_int_eq(errors.value, FLOE_VIOLATED);
  ck_assert_str_eq(errors.cause, "assignment of 10 to q outside 0..9 (m.net:4)");
  const floe_step step = floe_trace_step(errors.trace, 0);
  ck_assert_str_eq(step.action, "move");
  ck_assert_str_eq(step.cause, errors.cause);
  close_net();
}
END_TEST

/* Operators, the language's own and those of its table, and truth values. */
START_TEST(parts_of_a_property) {
  const char *text, *value;
  open_net("net\np 2\nq 0\nmove: p 1 -> q 1\nnever p and q\n");
  explore(FLOE_ENGINE_INTERPRETER);
  const floe_verdict both = floe_result_verdict(result, 0);
  ck_assert_int_eq(both.depth, 1);
  ck_assert_uint_eq(floe_trace_subexpressions(both.trace), 1);
  floe_trace_subexpression(both.trace, 0, &text, &value);
  ck_assert_str_eq(text, "[p] >= 1 && [q] >= 1");
  ck_assert_str_eq(value, "yes");
  close_net();
}
END_TEST

START_TEST(transition_without_a_place) {
  open_net("net\np 1\nleak p\n");
  explore(FLOE_ENGINE_CPU);
  const floe_verdict deadlock = floe_result_verdict(result, 0);
  ck_assert_int_eq(deadlock.depth, 1);
  const floe_step step = floe_trace_step(deadlock.trace, 0);
  ck_assert_str_eq(step.action, "leak");
  ck_assert_uint_eq(step.line, 0);
  ck_assert_uint_eq(floe_trace_blocked_transitions(deadlock.trace), 1);
  const floe_blocked_transition blocked = floe_trace_blocked_transition(deadlock.trace, 0);
  ck_assert_str_eq(blocked.label, "leak");
  ck_assert_uint_eq(blocked.line, 0);
  ck_assert_str_eq(blocked.obstacle_list[0].text, "[p] >= 1");
  close_net();
}
END_TEST

START_TEST(written_transitions) {
  open_net(net);
  const floe_transition spill = floe_model_transition(model, 2);
  ck_assert_uint_eq(floe_model_transitions(model), 4);
  ck_assert_str_eq(spill.process, "");
  ck_assert_str_eq(spill.label, "spill");
  ck_assert_str_eq(spill.from, "");
  ck_assert_str_eq(spill.to, "");
  ck_assert_uint_eq(spill.line, 7);
  close_net();
}
END_TEST

/* ---- single states --------------------------------------------------------------------------- */

static floe_expansion *expand_at(const char *p, const char *r) {
  const floe_change values[] = {{"[p]", "", p}, {"[r]", "", r}};
  floe_state *state;
  floe_expansion *expansion;
  ck_assert_int_eq(floe_state_from_values(model, values, 2, NULL, &state), FLOE_OK);
  ck_assert_int_eq(floe_expand(model, state, NULL, &expansion), FLOE_OK);
  floe_state_free(state);
  return expansion;
}

static char *step_json(const floe_step *step) {
  char *text;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  ck_assert_int_eq(floe_step_write_json(step, stream), FLOE_OK);
  fclose(stream);
  return text;
}

/* The places take part in the step, the batch with the number k. */
START_TEST(participants_of_a_step) {
  floe_step step;
  open_net(net);
  floe_expansion *expansion = expand_at("none", "2");
  ck_assert_uint_eq(floe_expansion_steps(expansion), 2);
  ck_assert_int_eq(floe_expansion_step(expansion, 1, &step), FLOE_OK);
  ck_assert_str_eq(step.action, "spill {k=2}");
  char *text = step_json(&step);
  ck_assert_str_eq(text, "{\"action\": \"spill {k=2}\", \"process\": \"\", \"instance\": 0, \"label\": \"spill\", "
                         "\"parameters\": [{\"name\": \"k\", \"value\": 2}], \"line\": 7, \"participants\": ["
                         "{\"kind\": \"transition\", \"name\": \"spill\", \"line\": 7}, "
                         "{\"kind\": \"place\", \"name\": \"r\", \"line\": 4}, "
                         "{\"kind\": \"place\", \"name\": \"p\", \"line\": 2}, "
                         "{\"kind\": \"batch\", \"name\": \"batch[2]\", \"line\": 0}], "
                         "\"changes\": {\"[p]\": [\"none\", 2], \"[r]\": [2, \"none\"]}, \"fails\": null}");
  free(text);
  floe_expansion_free(expansion);
  close_net();
}
END_TEST

START_TEST(blocked_in_a_state) {
  const floe_trace *blocked;
  open_net(net);
  floe_expansion *expansion = expand_at("1", "none");
  ck_assert_int_eq(floe_expansion_blocked(expansion, 0, &blocked), FLOE_OK);
  ck_assert_uint_eq(floe_trace_blocked_transitions(blocked), 3);
  ck_assert_str_eq(floe_trace_blocked_transition(blocked, 0).label, "join");
  floe_expansion_free(expansion);
  close_net();
}
END_TEST

START_TEST(no_value) {
  const floe_change zero = {"[p]", "", "0"}, name = {"p", "", "1"};
  floe_state *state;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  open_net(net);
  ck_assert_int_eq(floe_state_from_values(model, &zero, 1, log, &state), FLOE_ERROR_USAGE);
  ck_assert_str_eq(floe_log_at(log, 0)->message, "'0' is no value of [p]");
  ck_assert_str_eq(floe_log_at(log, 0)->hint, "none..9");
  ck_assert_int_eq(floe_state_from_values(model, &name, 1, log, &state), FLOE_ERROR_USAGE);
  ck_assert_str_eq(floe_log_at(log, 1)->message, "no variable 'p' that can change");
  floe_log_free(log);
  close_net();
}
END_TEST

/* ---- rules of the ground model --------------------------------------------------------------- */

struct flawed {
  struct model model;
  struct variable variables[2];
  struct property properties[2];
  struct edge edge;
  struct transition transition;
  struct participant participant;
  struct initiator_transitions initiator;
};

static void make_flawed(struct arena *arena, struct flawed *f) {
  static const char text[] = "net\np 1\nq 0\nmove: p 1 -> q 1\n";
  static const struct source source = {.name = "m", .text = text, .length = sizeof text - 1};
  const struct outline *outline;
  const struct model *sound;
  ck_assert_int_eq(toy_net.parse(&source, NULL, arena, NULL, &outline), FLOE_OK);
  ck_assert_int_eq(toy_net.check(outline, NULL, 0, arena, NULL, &sound), FLOE_OK);
  ck_assert_ptr_null(model_flaw(sound));
  *f = (struct flawed){*sound,
                       {sound->variables[0], sound->variables[1]},
                       {sound->properties[0], sound->properties[1]},
                       sound->edges[0],
                       sound->transitions[0],
                       sound->transitions[0].participants[0],
                       sound->initiators[0]};
  f->model.variables = f->variables;
  f->model.properties = f->properties;
  f->model.edges = &f->edge;
  f->model.transitions = &f->transition;
  f->transition.participants = &f->participant;
  f->model.initiators = &f->initiator;
  ck_assert_ptr_null(model_flaw(&f->model));
}

/* As if the variables had 0 and 1 only. */
static void share(struct flawed *f, const uint32_t *variables, size_t count) {
  static struct exclusive_set set;
  set = (struct exclusive_set){variables, count, true};
  f->variables[0].hi = f->variables[1].hi = 1;
  f->model.exclusive = &set;
  f->model.exclusive_count = 1;
}

#define FLAWED(change, flaw)                                                                                           \
  do {                                                                                                                 \
    make_flawed(arena, f);                                                                                             \
    change;                                                                                                            \
    ck_assert_str_eq(model_flaw(&f->model), flaw);                                                                     \
  } while (0)

static void break_each(void *data) {
  struct arena *arena = data;
  struct flawed *f = arena_alloc(arena, sizeof *f);
  FLAWED(f->model.notation = NULL, "what it is called");
  FLAWED(f->variables[0].name = "a\033[1m", "variables");
  FLAWED(f->variables[0].name = "", "variables");
  FLAWED(f->properties[0].id = "a\n", "properties");
  FLAWED(f->edge.label = "", "transitions as written");
  FLAWED(f->edge.channel = "c", "transitions as written");
  FLAWED(f->edge.location_count = 0, "transitions as written");
  FLAWED(f->edge.process = 0, "transitions as written");
  FLAWED(f->participant.process = 0, "transitions of an initiator");
  FLAWED(f->transition.participant_count = 2, "transitions of an initiator");
  FLAWED(f->initiator.instance = 1, "transitions of an initiator");
  FLAWED(f->initiator.located = true, "transitions of an initiator");
  FLAWED(share(f, (uint32_t[]){0, 1}, 2), "exclusive sets"); /* it adds to p and q */
  FLAWED(share(f, (uint32_t[]){1, 0}, 2), "exclusive sets");
  FLAWED(share(f, (uint32_t[]){0}, 1), "exclusive sets");
  FLAWED(share(f, (uint32_t[]){0, 2}, 2), "exclusive sets");
}

START_TEST(flaws) {
  struct arena arena;
  arena_init(&arena);
  ck_assert_int_eq(arena_guard(&arena, break_each, &arena), 0);
  arena_free(&arena);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST
#endif

int main(void) {
#ifdef EMULATED
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *test = tcase_create("net");
  tcase_set_timeout(test, 0);
  add_tests(test, on_the_emulated_gpu);
  return emulated_run("nets, emulated GPU", test);
#else
  return run_tests("nets", CK_NOFORK, interpreted, compiled, failing_step, parts_of_a_property,
                   transition_without_a_place, written_transitions, participants_of_a_step, blocked_in_a_state,
                   no_value, flaws);
#endif
}
