#include "cmd/check/expect.h"

#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/output.h"
#include "cmd/report/report.h"
#include "cmd/report/report_html.h"
#include "cmd/signals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum outcome { OK, MISMATCH, UNDECIDED, SKIPPED, NOT_SELECTED, OUTCOMES };
static const char *const outcome_names[] = {"ok", "mismatch", "undecided", "skipped"};

struct expect_run {
  const struct options *options;
  const floe_options *settings;
  struct session *session;
  size_t number[OUTCOMES];
  json_t *cases;
  struct cases report_cases; /* of --report */
  bool log_printed;          /* the warnings are the same in every case: printed once */
};

/* ---- comparing ------------------------------------------------------------------------------- */

static void add_difference(json_t *differences, const char *what, json_t *expected, json_t *found) {
  json_array_append_new(differences, json_pack("{s:s, s:o, s:o}", "what", what, "expected", expected, "found", found));
}

static void compare_count(json_t *differences, const char *what, int64_t expected, uint64_t found) {
  if (expected >= 0 && (uint64_t)expected != found)
    add_difference(differences, what, json_integer(expected), json_integer((json_int_t)found));
}

static void compare_verdict(json_t *differences, const floe_result *result, const floe_expected_verdict *expected) {
  char expected_text[64], found[64] = "not checked";
  verdict_text(expected->value, expected->depth, expected_text, sizeof expected_text);
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    floe_verdict verdict = floe_result_verdict(result, i);
    if (strcmp(verdict.property.id, expected->property) != 0)
      continue;
    if (verdict.value == expected->value && (expected->depth < 0 || expected->depth == verdict.depth))
      return;
    verdict_text(verdict.value, verdict_level(&verdict), found, sizeof found);
  }
  add_difference(differences, expected->property, json_string(expected_text), json_string(found));
}

/* Symmetry reduction changes the numbers of states, transitions and deadlocks. And levels, if the initial state names
   an instance: a deeper state may be a permutation of it. */
static json_t *compare_case(const floe_model *model, size_t i, const floe_result *result) {
  json_t *differences = json_array();
  const floe_summary *summary = floe_result_summary(result);
  floe_expectation expected = floe_model_expectation(model, i);
  const bool all = !*summary->symmetry;
  compare_count(differences, "states", all ? expected.states : -1, summary->states);
  compare_count(differences, "transitions", all ? expected.transitions : -1, summary->transitions);
  compare_count(differences, "levels", all ? expected.levels : -1, summary->levels);
  compare_count(differences, "deadlocks", all ? expected.deadlocks : -1, summary->deadlocks);
  for (size_t j = 0; j < expected.verdicts; j++) {
    floe_expected_verdict verdict = floe_model_expected_verdict(model, i, j);
    compare_verdict(differences, result, &verdict);
  }
  return differences;
}

/* ---- reporting ------------------------------------------------------------------------------- */

static void print_case_constants(const floe_model *model, size_t i) {
  size_t n = floe_model_expectation(model, i).constants;
  for (size_t j = 0; j < n; j++) {
    const char *name, *value;
    floe_model_expected_constant(model, i, j, &name, &value);
    printf("%s%s=%s", j ? " " : "", name, printable(value));
  }
  if (n == 0)
    fputs("no constants set", stdout);
}

static void put_difference(FILE *out, const json_t *difference, bool first) {
  json_t *expected = json_object_get(difference, "expected"), *found = json_object_get(difference, "found");
  const char *what = json_string_value(json_object_get(difference, "what"));
  if (json_is_integer(found))
    fprintf(out, "%s %s %" JSON_INTEGER_FORMAT " instead of %" JSON_INTEGER_FORMAT, first ? "" : ";", what,
            json_integer_value(found), json_integer_value(expected));
  else
    fprintf(out, "%s %s %s instead of %s", first ? "" : ";", what, json_string_value(found),
            json_string_value(expected));
}

static void print_case_line(const struct expect_run *run, size_t i, enum outcome outcome, const floe_summary *summary,
                            json_t *differences) {
  print_case_constants(run->session->model, i);
  if (outcome == OK)
    printf(": ok %" PRIu64 " states%s\n", summary->states, *summary->symmetry ? ", one of each orbit" : "");
  else if (outcome == UNDECIDED)
    printf(": undecided, %s, %" PRIu64 " states found\n", end_text(summary->end), summary->states);
  else if (outcome == SKIPPED)
    printf(": skipped, more than %" PRIu64 " states\n", run->settings->max_states);
  else {
    size_t j;
    json_t *difference;
    printf(": mismatch (%s:%u):", printable(floe_model_file(run->session->model)),
           floe_model_expectation(run->session->model, i).line);
    json_array_foreach(differences, j, difference) put_difference(stdout, difference, j == 0);
    putchar('\n');
  }
  fflush(stdout); /* a case may take long: show it when it is complete */
}

static void add_report_case(struct expect_run *run, enum outcome outcome, const floe_result *result,
                            const json_t *differences) {
  char *note = NULL;
  size_t size, j;
  const json_t *difference;
  json_t *constants = constants_json(run->session->model);
  FILE *out = open_memstream(&note, &size);
  json_array_foreach(differences, j, difference) if (out) put_difference(out, difference, j == 0);
  if (out)
    fclose(out);
  const struct case_result entry = {outcome_names[outcome], note ? note : "", result};
  cases_add(&run->report_cases, constants, &entry);
  json_decref(constants);
  free(note);
}

/* Counts, prints and stores the case; takes ownership of `differences`. `result` NULL: not explored. */
static void record_case(struct expect_run *run, size_t i, enum outcome outcome, const floe_result *result,
                        json_t *differences) {
  const floe_model *model = run->session->model;
  const floe_summary *summary = floe_result_summary(result);
  run->number[outcome]++;
  if (!json_replaces_text(run->options))
    print_case_line(run, i, outcome, summary, differences);
  add_report_case(run, outcome, result, differences);
  json_array_append_new(run->cases,
                        json_pack("{s:o, s:i, s:s, s:o, s:o, s:f}", "constants", constants_json(model), "line",
                                  (int)floe_model_expectation(model, i).line, "outcome", outcome_names[outcome],
                                  "states", summary ? json_integer((json_int_t)summary->states) : json_null(),
                                  "differences", differences, "seconds", summary ? summary->total_seconds : 0.0));
}

/* ---- running --------------------------------------------------------------------------------- */

static int define_case(struct session *session, size_t i) {
  floe_model_undefine_all(session->model);
  for (size_t j = 0; j < floe_model_expectation(session->model, i).constants; j++) {
    const char *name, *value;
    floe_model_expected_constant(session->model, i, j, &name, &value);
    floe_status status = floe_model_define(session->model, name, value, session->log);
    if (status != FLOE_OK)
      return print_failure(status, session->log);
  }
  return EXIT_SATISFIED;
}

/* True if the case has the values of -D. The names are valid, and the model is checked. */
static bool is_selected_case(const floe_model *model, const struct list *definitions) {
  for (size_t d = 0; d < definitions->n; d++) {
    const char *equals = strchr(definitions->items[d], '=');
    size_t length = (size_t)(equals - definitions->items[d]);
    for (size_t i = 0; i < floe_model_constants(model); i++) {
      floe_constant constant = floe_model_constant(model, i);
      if (strlen(constant.name) == length && strncmp(constant.name, definitions->items[d], length) == 0 &&
          constant.value != definition_value(equals + 1))
        return false;
    }
  }
  return true;
}

static enum outcome outcome_of(const floe_summary *summary, json_t *differences) {
  if (!summary->complete)
    return summary->end == FLOE_END_STATES ? SKIPPED : UNDECIDED;
  return json_array_size(differences) > 0 ? MISMATCH : OK;
}

static void print_case_log(struct expect_run *run) {
  if (!run->log_printed)
    print_log(run->session->log);
  run->log_printed = true;
  floe_log_clear(run->session->log);
}

static bool is_stated(const floe_model *model, size_t i, const char *property) {
  for (size_t j = 0; j < floe_model_expectation(model, i).verdicts; j++)
    if (strcmp(floe_model_expected_verdict(model, i, j).property, property) == 0)
      return true;
  return false;
}

/* Of the temporal properties, each of which costs searches of its own, those with a stated verdict are decided. */
static int explore_case(const struct expect_run *run, size_t i, floe_result **result) {
  const floe_model *model = run->session->model;
  const size_t n = floe_model_properties(model);
  const char **ids = malloc((n + 1) * sizeof *ids);
  if (!ids)
    return print_failure(FLOE_ERROR_MEMORY, run->session->log);
  floe_options settings = *run->settings;
  settings.properties = ids;
  for (size_t j = 0; j < n; j++) {
    const floe_property property = floe_model_property(model, j);
    if (property.kind != FLOE_LTL || is_stated(model, i, property.id))
      ids[settings.property_count++] = property.id;
  }
  const int code = session_explore(run->session, &settings, result);
  free(ids);
  return code;
}

static int run_case(struct expect_run *run, size_t i) {
  struct session *session = run->session;
  int code = define_case(session, i);
  if (code != EXIT_SATISFIED)
    return code;
  floe_status status = floe_model_check(session->model, session->log);
  if (status != FLOE_OK)
    return print_failure(status, session->log);
  int64_t states = floe_model_expectation(session->model, i).states;
  if (!is_selected_case(session->model, &run->options->define)) {
    run->number[NOT_SELECTED]++;
    return EXIT_SATISFIED;
  }
  if (states >= 0 && (uint64_t)states > run->settings->max_states) {
    record_case(run, i, SKIPPED, NULL, json_array());
    return EXIT_SATISFIED;
  }
  floe_result *result;
  code = explore_case(run, i, &result);
  if (code != EXIT_SATISFIED)
    return code;
  print_case_log(run);
  const floe_summary *summary = floe_result_summary(result);
  json_t *differences = summary->complete ? compare_case(session->model, i, result) : json_array();
  record_case(run, i, outcome_of(summary, differences), result, differences);
  floe_result_free(result);
  return EXIT_SATISFIED;
}

static int verdict_code(const struct expect_run *run) {
  if (run->number[MISMATCH])
    return EXIT_VIOLATED;
  return run->number[UNDECIDED] || !run->number[OK] ? EXIT_UNDECIDED : EXIT_SATISFIED;
}

static int run_cases(struct expect_run *run) {
  size_t n = floe_model_expectations(run->session->model);
  for (size_t i = 0; i < n && !signals_received(); i++) {
    int code = run_case(run, i);
    if (code != EXIT_SATISFIED)
      return code;
  }
  if (run->number[NOT_SELECTED] == n) {
    print_error("-D selects <expect> elements by their constants", "no <expect> element has the given constants");
    return EXIT_USAGE;
  }
  if (!run->options->quiet && !json_replaces_text(run->options))
    printf("%zu ok, %zu mismatched, %zu undecided, %zu skipped\n", run->number[OK], run->number[MISMATCH],
           run->number[UNDECIDED], run->number[SKIPPED]);
  return signals_received() && !run->number[MISMATCH] ? EXIT_UNDECIDED : verdict_code(run);
}

/* Rejects options that change what the cases compare. */
static bool check_expect_options(const struct options *options) {
  static const char hint[] = "--expect compares all expected results, over all states";
  const char *wrong = GIVEN(options, property)        ? "property"
                      : GIVEN(options, max_depth)     ? "max-depth"
                      : GIVEN(options, dump_code)     ? "dump-code"
                      : GIVEN(options, visited_order) ? "visited-order"
                                                      : NULL;
  if (wrong)
    print_error(hint, "--expect cannot be combined with --%s", wrong);
  return !wrong;
}

int run_expectations(struct session *session, const struct options *options) {
  if (!check_expect_options(options))
    return EXIT_USAGE;
  if (floe_model_expectations(session->model) == 0) {
    print_error("add an <expect> element to the model", "%s has no expected results", floe_model_file(session->model));
    return EXIT_USAGE;
  }
  int code = session_define(session, &options->define); /* reports invalid definitions */
  if (code != EXIT_SATISFIED)
    return code;
  floe_options settings;
  make_settings(options, &settings);
  settings.keep_going = true;
  if (!options->report)
    settings.traces = false;
  struct expect_run run = {.options = options, .settings = &settings, .session = session, .cases = json_array()};
  cases_begin(&run.report_cases, options, session->model);
  code = run_cases(&run);
  if (options->json.given && code != EXIT_USAGE) {
    json_t *object = model_json(session->model, "expect");
    json_object_set(object, "cases", run.cases);
    if (!put_json(options->json.text, object))
      code = output_failed(code);
  }
  if (!cases_end(&run.report_cases, code != EXIT_USAGE))
    code = output_failed(code);
  json_decref(run.cases);
  return code;
}
