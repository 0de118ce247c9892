#include "cmd/check/expect.h"

#include "cmd/command.h"
#include "cmd/message.h"
#include "cmd/output.h"
#include "cmd/report/report.h"
#include "cmd/report/report_html.h"
#include "cmd/signals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum outcome { OK, MISMATCH, UNDECIDED, SKIPPED, LEFT_OUT, OUTCOMES };
static const char *const outcome_names[] = {"ok", "mismatch", "undecided", "skipped"};

struct tally {
  const struct options *options;
  const floe_options *settings;
  struct session *session;
  size_t number[OUTCOMES];
  json_t *cases;
  struct cases page; /* of --report */
  bool log_printed;  /* warnings of the model and of the engine are the same in every case */
};

/* ---- comparing ------------------------------------------------------------------------------- */

static void differ(json_t *differences, const char *what, json_t *expected, json_t *found) {
  json_array_append_new(differences, json_pack("{s:s, s:o, s:o}", "what", what, "expected", expected, "found", found));
}

static void compare_count(json_t *differences, const char *what, int64_t expected, uint64_t found) {
  if (expected >= 0 && (uint64_t)expected != found)
    differ(differences, what, json_integer(expected), json_integer((json_int_t)found));
}

static void compare_verdict(json_t *differences, const floe_result *result, const floe_expected_verdict *expected) {
  char wanted[64], found[64] = "not checked";
  verdict_text(expected->value, expected->depth, wanted, sizeof wanted);
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    floe_verdict verdict = floe_result_verdict(result, i);
    if (strcmp(verdict.property.id, expected->property) != 0)
      continue;
    if (verdict.value == expected->value && (expected->depth < 0 || expected->depth == verdict.depth))
      return;
    verdict_text(verdict.value, verdict.depth, found, sizeof found);
  }
  differ(differences, expected->property, json_string(wanted), json_string(found));
}

static json_t *compare(const floe_model *model, size_t i, const floe_result *result) {
  json_t *differences = json_array();
  const floe_summary *summary = floe_result_summary(result);
  floe_expectation expected = floe_model_expectation(model, i);
  compare_count(differences, "states", expected.states, summary->states);
  compare_count(differences, "transitions", expected.transitions, summary->transitions);
  compare_count(differences, "levels", expected.levels, summary->levels);
  compare_count(differences, "deadlocks", expected.deadlocks, summary->deadlocks);
  for (size_t j = 0; j < expected.verdicts; j++) {
    floe_expected_verdict verdict = floe_model_expected_verdict(model, i, j);
    compare_verdict(differences, result, &verdict);
  }
  return differences;
}

/* ---- telling --------------------------------------------------------------------------------- */

static void put_constants(const floe_model *model, size_t i) {
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

static void tell(const struct tally *tally, size_t i, enum outcome outcome, const floe_summary *summary,
                 json_t *differences) {
  put_constants(tally->session->model, i);
  if (outcome == OK)
    printf(": ok %" PRIu64 " states\n", summary->states);
  else if (outcome == UNDECIDED)
    printf(": undecided, %s, %" PRIu64 " states found\n", end_text(summary->end), summary->states);
  else if (outcome == SKIPPED)
    printf(": skipped, more than %" PRIu64 " states\n", tally->settings->max_states);
  else {
    size_t j;
    json_t *difference;
    printf(": mismatch (%s:%u):", printable(floe_model_file(tally->session->model)),
           floe_model_expectation(tally->session->model, i).line);
    json_array_foreach(differences, j, difference) put_difference(stdout, difference, j == 0);
    putchar('\n');
  }
  fflush(stdout); /* cases take their time, and each line tells that one is done */
}

static void keep_case(struct tally *tally, enum outcome outcome, const floe_result *result, const json_t *differences) {
  char *note = NULL;
  size_t size, j;
  const json_t *difference;
  json_t *constants = constants_json(tally->session->model);
  FILE *out = open_memstream(&note, &size);
  json_array_foreach(differences, j, difference) if (out) put_difference(out, difference, j == 0);
  if (out)
    fclose(out);
  const struct tried tried = {outcome_names[outcome], note ? note : "", result};
  cases_add(&tally->page, constants, &tried);
  json_decref(constants);
  free(note);
}

/* Counts, prints and keeps the case; takes `differences` over. `result` NULL: it was not explored. */
static void record(struct tally *tally, size_t i, enum outcome outcome, const floe_result *result,
                   json_t *differences) {
  const floe_model *model = tally->session->model;
  const floe_summary *summary = floe_result_summary(result);
  tally->number[outcome]++;
  if (!json_instead(tally->options))
    tell(tally, i, outcome, summary, differences);
  keep_case(tally, outcome, result, differences);
  json_array_append_new(tally->cases,
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
      return explain(status, session->log);
  }
  return EXIT_AS_WANTED;
}

static int64_t value_of(const char *text) {
  return strcmp(text, "true") == 0 ? 1 : strcmp(text, "false") == 0 ? 0 : strtoll(text, NULL, 10);
}

/* Does the case have the values that -D asks for? The names are known to be right, the model is
 * checked. */
static bool selected(const floe_model *model, const struct list *definitions) {
  for (size_t d = 0; d < definitions->n; d++) {
    const char *equals = strchr(definitions->items[d], '=');
    size_t length = (size_t)(equals - definitions->items[d]);
    for (size_t i = 0; i < floe_model_constants(model); i++) {
      floe_constant constant = floe_model_constant(model, i);
      if (strlen(constant.name) == length && strncmp(constant.name, definitions->items[d], length) == 0 &&
          constant.value != value_of(equals + 1))
        return false;
    }
  }
  return true;
}

static enum outcome judge(const floe_summary *summary, json_t *differences) {
  if (!summary->complete)
    return summary->end == FLOE_END_STATES ? SKIPPED : UNDECIDED;
  return json_array_size(differences) > 0 ? MISMATCH : OK;
}

static void print_log_once(struct tally *tally) {
  if (!tally->log_printed)
    print_log(tally->session->log);
  tally->log_printed = true;
  floe_log_clear(tally->session->log);
}

static int run_case(struct tally *tally, size_t i) {
  struct session *session = tally->session;
  int code = define_case(session, i);
  if (code != EXIT_AS_WANTED)
    return code;
  floe_status status = floe_model_check(session->model, session->log);
  if (status != FLOE_OK)
    return explain(status, session->log);
  int64_t states = floe_model_expectation(session->model, i).states;
  if (!selected(session->model, &tally->options->define)) {
    tally->number[LEFT_OUT]++;
    return EXIT_AS_WANTED;
  }
  if (states >= 0 && (uint64_t)states > tally->settings->max_states) {
    record(tally, i, SKIPPED, NULL, json_array());
    return EXIT_AS_WANTED;
  }
  floe_result *result;
  code = session_explore(session, tally->settings, &result);
  if (code != EXIT_AS_WANTED)
    return code;
  print_log_once(tally);
  const floe_summary *summary = floe_result_summary(result);
  json_t *differences = summary->complete ? compare(session->model, i, result) : json_array();
  record(tally, i, judge(summary, differences), result, differences);
  floe_result_free(result);
  return EXIT_AS_WANTED;
}

static int verdict_code(const struct tally *tally) {
  if (tally->number[MISMATCH])
    return EXIT_VIOLATED;
  return tally->number[UNDECIDED] || !tally->number[OK] ? EXIT_UNDECIDED : EXIT_AS_WANTED;
}

static int run_cases(struct tally *tally) {
  size_t n = floe_model_expectations(tally->session->model);
  for (size_t i = 0; i < n && !signals_came(); i++) {
    int code = run_case(tally, i);
    if (code != EXIT_AS_WANTED)
      return code;
  }
  if (tally->number[LEFT_OUT] == n) {
    complain("cases have the constants of their <expect> elements", "no expected results for the constants given");
    return EXIT_USAGE;
  }
  if (!tally->options->quiet && !json_instead(tally->options))
    printf("%zu ok, %zu mismatched, %zu undecided, %zu skipped\n", tally->number[OK], tally->number[MISMATCH],
           tally->number[UNDECIDED], tally->number[SKIPPED]);
  return signals_came() && !tally->number[MISMATCH] ? EXIT_UNDECIDED : verdict_code(tally);
}

/* Options that would have the cases ask something else than the model states. */
static bool sensible(const struct options *options) {
  static const char hint[] = "every expected result is compared, over all states";
  const char *wrong = GIVEN(options, property)        ? "property"
                      : GIVEN(options, max_depth)     ? "max-depth"
                      : GIVEN(options, dump_code)     ? "dump-code"
                      : GIVEN(options, visited_order) ? "visited-order"
                                                      : NULL;
  if (wrong)
    complain(hint, "--expect does not go with --%s", wrong);
  return !wrong;
}

int run_expectations(struct session *session, const struct options *options) {
  if (!sensible(options))
    return EXIT_USAGE;
  if (floe_model_expectations(session->model) == 0) {
    complain("an <expect> element states them", "%s has no expected results", floe_model_file(session->model));
    return EXIT_USAGE;
  }
  int code = session_define(session, &options->define); /* for its messages */
  if (code != EXIT_AS_WANTED)
    return code;
  floe_options settings;
  make_settings(options, &settings);
  settings.go_on = true;
  if (!options->report)
    settings.traces = false;
  struct tally tally = {.options = options, .settings = &settings, .session = session, .cases = json_array()};
  cases_begin(&tally.page, options, session->model);
  code = run_cases(&tally);
  if (options->json.given && code != EXIT_USAGE) {
    json_t *object = model_json(session->model, "expect");
    json_object_set(object, "cases", tally.cases);
    if (!put_json(options->json.text, object))
      code = output_lost(code);
  }
  if (!cases_end(&tally.page, code != EXIT_USAGE))
    code = output_lost(code);
  json_decref(tally.cases);
  return code;
}
