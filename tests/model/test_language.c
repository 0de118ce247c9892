/* A second language besides XML, registered by linking another list, and used through the public interface. */
#include "api/languages.h"
#include "core/arena.h"
#include "run.h"
#include "toy_language.h"

#include <string.h>

static const char counters[] = "counters\n"
                               "let N 4\n"
                               "x 0..9\n"
                               "y 1..N\n"
                               "z 5..5\n"
                               "never x 7\n"
                               "never y 9\n";

/* ---- which language a text is in ------------------------------------------------------------- */

static const char *chosen(const char *file, const char *text) {
  return language_choose(languages, file, text, strlen(text))->name;
}

START_TEST(choice) {
  ck_assert_str_eq(chosen("a.xml", "<model/>"), "xml");
  ck_assert_str_eq(chosen("a.xml", counters), "xml"); /* the ending comes first */
  ck_assert_str_eq(chosen("a.counters", "<model/>"), "counters");
  ck_assert_str_eq(chosen("<stdin>", counters), "counters");
  ck_assert_str_eq(chosen("<stdin>", "\xef\xbb\xbf \n<model/>"), "xml");
  ck_assert_str_eq(chosen("xml", counters), "counters");
  ck_assert_str_eq(chosen("a.txt", "what is this"), "xml");
  ck_assert_str_eq(chosen("", ""), "xml");
  for (const struct language *const *l = languages; *l; l++) {
    ck_assert(!(*l)->recognise("", 0));
    ck_assert(!(*l)->recognise("\xef\xbb", 2));
    ck_assert(!(*l)->recognise("  \n", 3));
  }
}
END_TEST

/* ---- a model in it --------------------------------------------------------------------------- */

static void same_counts(floe_engine engine) {
  struct run run;
  open_run(&run, "<stdin>", counters);
  explore(&run, engine);
  const floe_summary *summary = floe_result_summary(run.result);
  ck_assert_uint_eq(summary->states, 10 * 4);
  ck_assert_uint_eq(summary->transitions, 9 * 4 + 10 * 3);
  ck_assert_uint_eq(summary->levels, 9 + 3 + 1);
  floe_verdict seven = floe_result_verdict(run.result, 0);
  ck_assert_str_eq(seven.property.id, "x == 7");
  ck_assert_int_eq(seven.value, FLOE_VIOLATED);
  ck_assert_int_eq(seven.depth, 7);
  ck_assert_int_eq(floe_result_verdict(run.result, 1).value, FLOE_HOLDS);
  ck_assert_uint_eq(floe_trace_steps(seven.trace), 7);
  floe_step last = floe_trace_step(seven.trace, 6);
  ck_assert_str_eq(last.label, "x up");
  ck_assert_uint_eq(last.line, 3);
  ck_assert_uint_eq(last.changes, 1);
  ck_assert_str_eq(last.change_list[0].name, "x");
  ck_assert_str_eq(last.change_list[0].after, "7");
  ck_assert_uint_eq(floe_result_unfired_transitions(run.result), 1); /* z */
  close_run(&run);
}

START_TEST(explored) {
  same_counts(FLOE_ENGINE_INTERPRETER);
  same_counts(FLOE_ENGINE_CPU);
}
END_TEST

/* Assignments that wrap round: down from the lower end, by more than there are values, and where nothing is below it.
 */
static void goes_round(const char *line, uint64_t states, const char *second) {
  const floe_engine engines[] = {FLOE_ENGINE_INTERPRETER, FLOE_ENGINE_CPU};
  char text[80];
  snprintf(text, sizeof text, "counters\n%s\nnever x %s\n", line, second);
  for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
    struct run run;
    open_run(&run, "m.counters", text);
    explore(&run, engines[i]);
    ck_assert_uint_eq(floe_result_summary(run.result)->states, states);
    ck_assert_uint_eq(floe_result_summary(run.result)->transitions, states);
    ck_assert_int_eq(floe_result_verdict(run.result, 0).depth, 1);
    ck_assert_int_eq(floe_result_verdict(run.result, 1).value, FLOE_HOLDS); /* errors: no value left its range */
    close_run(&run);
  }
}

START_TEST(wrapping_counters) {
  goes_round("x 0..9 by 1", 10, "1");
  goes_round("x 0..9 by -4", 5, "6");
  goes_round("x 3..9 by -1", 7, "9");
  goes_round("x 3..9 by 20", 7, "9");
  goes_round("x 5..7 by -100", 3, "7");
}
END_TEST

START_TEST(model_queries) {
  struct run run;
  open_run(&run, "m.counters", counters);
  ck_assert_int_eq(floe_model_check(run.model, run.log), FLOE_OK);
  ck_assert_str_eq(floe_model_name(run.model), "counters");
  ck_assert_str_eq(floe_model_property(run.model, 0).text, "x == 7");
  ck_assert_uint_eq(floe_model_property(run.model, 0).line, 6);
  ck_assert_uint_eq(floe_model_transitions(run.model), 3);
  ck_assert_str_eq(floe_model_transition(run.model, 1).label, "y up");
  ck_assert_uint_eq(floe_model_constants(run.model), 1);
  close_run(&run);
}
END_TEST

START_TEST(defined) {
  struct run run;
  open_run(&run, "m.counters", counters);
  ck_assert_int_eq(floe_model_define(run.model, "M", "2", run.log), FLOE_ERROR_MODEL);
  ck_assert_int_eq(floe_model_define(run.model, "N", "2", run.log), FLOE_OK);
  explore(&run, FLOE_ENGINE_INTERPRETER);
  ck_assert_uint_eq(floe_result_summary(run.result)->states, 10 * 2);
  floe_result_free(run.result);
  run.result = NULL;
  floe_model_undefine_all(run.model);
  explore(&run, FLOE_ENGINE_INTERPRETER);
  ck_assert_uint_eq(floe_result_summary(run.result)->states, 10 * 4);
  close_run(&run);
}
END_TEST

/* A language may lack single expressions. */
START_TEST(no_expressions) {
  struct run run;
  floe_expression *expression;
  open_run(&run, "m.counters", counters);
  ck_assert_int_eq(floe_model_check(run.model, run.log), FLOE_OK);
  ck_assert_int_eq(floe_expression_create(run.model, "1", run.log, &expression), FLOE_ERROR_UNSUPPORTED);
  ck_assert_str_eq(floe_log_at(run.log, floe_log_count(run.log) - 1)->message,
                   "the language counters has no expressions to evaluate");
  close_run(&run);
}
END_TEST

/* ---- errors ---------------------------------------------------------------------------------- */

static void has_error(const struct run *run, size_t i, const char *message, unsigned line) {
  ck_assert_uint_gt(floe_log_count(run->log), i);
  const floe_message *error = floe_log_at(run->log, i);
  ck_assert_str_eq(error->message, message);
  ck_assert_uint_eq(error->line, line);
  ck_assert_str_eq(error->file, "m.counters");
}

START_TEST(errors_of_the_text) {
  struct run run;
  open_run(&run, "m.counters", "counters\nx 0..\ny 0..3\n?\n");
  ck_assert_ptr_null(run.model);
  has_error(&run, 0, "expected a constant, a counter or a property", 2);
  has_error(&run, 1, "expected a constant, a counter or a property", 4);
  close_run(&run);
}
END_TEST

START_TEST(errors_of_the_check) {
  struct run run;
  open_run(&run, "m.counters", "counters\nx 0..M\n\ny 3..1\nnever z 1\n");
  ck_assert_ptr_nonnull(run.model);
  ck_assert_int_eq(floe_model_check(run.model, run.log), FLOE_ERROR_MODEL);
  has_error(&run, 0, "unknown constant 'M'", 2);
  has_error(&run, 1, "the range of 'y' is empty", 4);
  has_error(&run, 2, "unknown counter 'z'", 5);
  close_run(&run);
}
END_TEST

/* ---- rules of the ground model --------------------------------------------------------------- */

/* What is wrong with the counters' model where one thing in it is changed. */
struct flawed {
  struct model model;
  struct variable variables[4];
  struct transition transitions[2];
  struct initiator_transitions initiator;
  struct process process;
};

static void make_flawed(struct arena *arena, struct flawed *flawed) {
  static const struct source source = {.name = "m", .text = counters, .length = sizeof counters - 1};
  const struct outline *outline;
  const struct model *model;
  ck_assert_int_eq(toy_language.parse(&source, NULL, arena, NULL, &outline), FLOE_OK);
  ck_assert_int_eq(toy_language.check(outline, NULL, 0, arena, NULL, &model), FLOE_OK);
  ck_assert_uint_eq(model->variable_count, 4);
  ck_assert_uint_eq(model->transition_count, 2);
  ck_assert_ptr_null(model_flaw(model));
  flawed->model = *model;
  memcpy(flawed->variables, model->variables, sizeof flawed->variables);
  memcpy(flawed->transitions, model->transitions, sizeof flawed->transitions);
  flawed->initiator = model->initiators[0];
  flawed->process = model->processes[0];
  flawed->model.variables = flawed->variables;
  flawed->model.transitions = flawed->transitions;
  flawed->model.initiators = &flawed->initiator;
  flawed->model.processes = &flawed->process;
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
  FLAWED(f->model.source = NULL, "what it is called");
  FLAWED(f->variables[1].first = 0, "variables");
  FLAWED(f->variables[1].hi = 0, "variables");
  FLAWED(f->model.value_count = 3, "variables");
  FLAWED(f->process.location_variable = 0, "processes");
  FLAWED(f->model.edge_count = 1, "transitions of an initiator");
  FLAWED(f->initiator.end = 1, "transitions of an initiator");
  FLAWED(f->initiator.located = true, "transitions of an initiator");
  FLAWED(f->initiator.instance = 1, "transitions of an initiator");
  FLAWED(f->transitions[1].initiator = 1, "transitions of an initiator");
  FLAWED(f->transitions[0].participant_count = 0, "transitions of an initiator");
  FLAWED(f->model.property_count--, "properties");
}

START_TEST(flaws) {
  struct arena arena;
  arena_init(&arena);
  ck_assert_int_eq(arena_guard(&arena, break_each, &arena), 0);
  arena_free(&arena);
}
END_TEST

START_TEST(out_of_memory_is_reported) {
  floe_status status = FLOE_ERROR_MEMORY;
  for (long n = 1; status != FLOE_OK; n++) {
    floe_model *model = NULL;
    ck_assert_int_lt(n, 1000);
    mem_fail_after(n);
    status = floe_model_parse("m.counters", counters, strlen(counters), NULL, &model);
    if (status == FLOE_OK)
      status = floe_model_check(model, NULL);
    mem_fail_after(0);
    ck_assert(status == FLOE_OK || status == FLOE_ERROR_MEMORY);
    floe_model_free(model);
    ck_assert_uint_eq(mem_live(), 0);
  }
}
END_TEST

int main(void) {
  return run_tests("languages", CK_NOFORK, choice, explored, wrapping_counters, model_queries, defined, no_expressions,
                   errors_of_the_text, errors_of_the_check, flaws, out_of_memory_is_reported);
}
