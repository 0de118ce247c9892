#include "cmd/check/sweep.h"

#include "cmd/check/sweep_axis.h"
#include "cmd/command.h"
#include "cmd/message.h"
#include "cmd/output.h"
#include "cmd/quantity.h"
#include "cmd/report/report.h"
#include "cmd/report/report_html.h"
#include "cmd/signals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_AXES 8
#define MOST_ROWS 100000

struct sweep {
  struct session *session;
  const struct options *options;
  const floe_options *settings;
  struct axis axes[MOST_AXES];
  size_t axis_count;
  size_t at[MOST_AXES]; /* the row: number of each axis's value */
  int worst;            /* exit code of the rows so far */
  json_t *rows;
  struct cases cases; /* of --report */
  bool log_printed;   /* warnings of the model are much the same in every row */
};

/* ---- exit codes ------------------------------------------------------------------------------ */

/* From good to bad: a violation is certain whatever was not decided. */
static int badness(int code) {
  static const int order[] = {
      [EXIT_AS_WANTED] = 0, [EXIT_VIOLATED] = 2, [EXIT_UNDECIDED] = 1, [EXIT_USAGE] = 3, [EXIT_INTERNAL] = 4};
  return order[code];
}

static const char *outcome_name(int code) {
  static const char *const names[] = {[EXIT_AS_WANTED] = "as wanted",
                                      [EXIT_VIOLATED] = "violated",
                                      [EXIT_UNDECIDED] = "undecided",
                                      [EXIT_USAGE] = "refused",
                                      [EXIT_INTERNAL] = "failed"};
  return names[code];
}

/* ---- the table ------------------------------------------------------------------------------- */

static int64_t axis_value(const struct sweep *sweep, size_t i) { return sweep->axes[i].values[sweep->at[i]]; }

/* Wide enough for the name and every value. */
static int axis_width(const struct axis *axis) {
  int width = (int)strlen(axis->name);
  for (size_t i = 0; i < axis->n; i++) {
    int digits = snprintf(NULL, 0, "%" PRId64, axis->values[i]);
    width = digits > width ? digits : width;
  }
  return width;
}

static void put_head(const struct sweep *sweep) {
  for (size_t i = 0; i < sweep->axis_count; i++)
    printf("%*s  ", axis_width(&sweep->axes[i]), sweep->axes[i].name);
  printf("%12s  %13s  %7s  %9s  %10s  verdicts\n", "states", "transitions", "levels", "seconds", "memory");
}

static void put_axes(const struct sweep *sweep) {
  for (size_t i = 0; i < sweep->axis_count; i++)
    printf("%*" PRId64 "  ", axis_width(&sweep->axes[i]), axis_value(sweep, i));
}

/* What is not as wanted, property by property. */
static void put_verdicts(const floe_result *result, int code) {
  if (code == EXIT_AS_WANTED) {
    puts("all as wanted");
    return;
  }
  if (code == EXIT_UNDECIDED) {
    printf("undecided: %s\n", end_text(floe_result_summary(result)->end));
    return;
  }
  const char *between = "";
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    floe_verdict verdict = floe_result_verdict(result, i);
    char text[64];
    if (verdict.wanted || verdict.value == FLOE_UNDECIDED)
      continue;
    verdict_text(verdict.value, verdict.depth, text, sizeof text);
    printf("%s%s %s", between, verdict.property.id, text);
    between = ", ";
  }
  putchar('\n');
}

static uint64_t memory_of(const floe_summary *summary) {
  return summary->table_bytes + summary->tree_bytes + summary->frontier_bytes;
}

static void put_row(const struct sweep *sweep, const floe_result *result, int code) {
  const floe_summary *summary = floe_result_summary(result);
  char memory[QUANTITY];
  put_axes(sweep);
  printf("%12" PRIu64 "  %13" PRIu64 "  %7" PRIu32 "  %9.3f  %10s  ", summary->states, summary->transitions,
         summary->levels, summary->total_seconds, byte_text(memory_of(summary), memory));
  put_verdicts(result, code);
  fflush(stdout); /* rows take their time, and each tells that one is done */
}

static void put_refusal(const struct sweep *sweep, int code, const char *why) {
  put_axes(sweep);
  printf("%12s  %13s  %7s  %9s  %10s  %s: %.*s\n", "-", "-", "-", "-", "-", outcome_name(code),
         (int)strcspn(why, "\n:"), why);
  fflush(stdout);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static json_t *axes_json(const struct sweep *sweep) {
  json_t *constants = json_object();
  for (size_t i = 0; i < sweep->axis_count; i++)
    json_object_set_new(constants, sweep->axes[i].name, json_integer(axis_value(sweep, i)));
  return constants;
}

/* Counts and keeps the row; takes `result` over. */
static void record(struct sweep *sweep, int code, const char *why, json_t *result) {
  if (badness(code) > badness(sweep->worst))
    sweep->worst = code;
  json_array_append_new(sweep->rows,
                        json_pack("{s:o, s:s, s:o, s:o}", "constants", axes_json(sweep), "outcome", outcome_name(code),
                                  "message", why ? json_string(why) : json_null(), "result", result));
}

static void keep_case(struct sweep *sweep, int code, const char *note, const floe_result *result) {
  const struct tried tried = {outcome_name(code), note, result};
  json_t *constants = axes_json(sweep);
  cases_add(&sweep->cases, constants, &tried);
  json_decref(constants);
}

static const char *first_error(const floe_log *log) {
  for (size_t i = 0; i < floe_log_count(log); i++)
    if (floe_log_at(log, i)->severity == FLOE_ERROR)
      return floe_log_at(log, i)->message;
  return "";
}

/* These values make no model, or one too large: a row like the others. */
static void record_refusal(struct sweep *sweep, floe_status status) {
  floe_log *log = sweep->session->log;
  const char *why = first_error(log);
  why = *why ? why : floe_status_name(status);
  int code = status == FLOE_ERROR_MEMORY ? EXIT_UNDECIDED : status == FLOE_ERROR_INTERNAL ? EXIT_INTERNAL : EXIT_USAGE;
  if (!json_instead(sweep->options))
    put_refusal(sweep, code, why);
  keep_case(sweep, code, why, NULL);
  record(sweep, code, why, json_null());
  print_log(log);
}

static void record_result(struct sweep *sweep, const floe_result *result) {
  struct report report = {command_check.name, sweep->options, sweep->session->model, result, 0};
  int code = report_code(&report);
  if (!json_instead(sweep->options))
    put_row(sweep, result, code);
  keep_case(sweep, code, "", result);
  record(sweep, code, NULL, report_json(&report));
}

static void print_log_once(struct sweep *sweep) {
  if (!sweep->log_printed)
    print_log(sweep->session->log);
  sweep->log_printed = true;
  floe_log_clear(sweep->session->log);
}

static floe_status define_row(struct sweep *sweep) {
  struct session *session = sweep->session;
  for (size_t i = 0; i < sweep->axis_count; i++) {
    char value[32];
    snprintf(value, sizeof value, "%" PRId64, axis_value(sweep, i));
    floe_status status = floe_model_define(session->model, sweep->axes[i].name, value, session->log);
    if (status != FLOE_OK)
      return status;
  }
  return floe_model_check(session->model, session->log);
}

static void run_row(struct sweep *sweep) {
  floe_result *result;
  floe_status status = define_row(sweep);
  if (status == FLOE_OK)
    status = session_try(sweep->session, sweep->settings, &result);
  if (status != FLOE_OK) {
    record_refusal(sweep, status);
    return;
  }
  print_log_once(sweep);
  record_result(sweep, result);
  floe_result_free(result);
}

/* The next row, the last axis varying fastest; false after the last one. */
static bool advance(struct sweep *sweep) {
  for (size_t i = sweep->axis_count; i-- > 0;) {
    if (++sweep->at[i] < sweep->axes[i].n)
      return true;
    sweep->at[i] = 0;
  }
  return false;
}

static void run_rows(struct sweep *sweep) {
  if (!json_instead(sweep->options))
    put_head(sweep);
  do
    run_row(sweep);
  while (!signals_came() && advance(sweep));
  if (signals_came() && badness(sweep->worst) < badness(EXIT_UNDECIDED))
    sweep->worst = EXIT_UNDECIDED;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* Options that ask for one run. */
static bool sensible(const struct options *options) {
  const char *wrong = options->expect               ? "expect"
                      : options->dump_code.given    ? "dump-code"
                      : options->visited_order      ? "visited-order"
                      : GIVEN(options, certificate) ? "certificate"
                                                    : NULL;
  if (wrong)
    complain("--sweep prints a table of many runs; leave one of the two out", "--sweep does not go with --%s", wrong);
  return !wrong;
}

static bool is_given(const struct list *definitions, const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < definitions->n; i++)
    if (strncmp(definitions->items[i], name, length) == 0 && definitions->items[i][length] == '=')
      return true;
  return false;
}

/* Each constant gets its values from one place. */
static bool add_axis(struct sweep *sweep, const char *text) {
  if (sweep->axis_count == MOST_AXES) {
    complain(NULL, "at most %d constants can be swept at once", MOST_AXES);
    return false;
  }
  struct axis *axis = &sweep->axes[sweep->axis_count];
  if (!axis_read(text, axis))
    return false;
  sweep->axis_count++;
  bool twice = is_given(&sweep->options->define, axis->name);
  for (size_t i = 0; i + 1 < sweep->axis_count; i++)
    twice = twice || strcmp(sweep->axes[i].name, axis->name) == 0;
  if (twice)
    complain("one --sweep lists all values, as in --sweep N=2..4,8", "constant %s is given twice", axis->name);
  return !twice;
}

static bool read_axes(struct sweep *sweep) {
  size_t rows = 1;
  for (size_t i = 0; i < sweep->options->sweep.n; i++) {
    if (!add_axis(sweep, sweep->options->sweep.items[i]))
      return false;
    rows *= sweep->axes[i].n;
    if (rows > MOST_ROWS) {
      complain(NULL, "--sweep asks for more than %d runs", MOST_ROWS);
      return false;
    }
  }
  return true;
}

/* A name that the model does not have is a slip of the command line, not a row. */
static int check_names(struct sweep *sweep) {
  int code = session_define(sweep->session, &sweep->options->define);
  if (code != EXIT_AS_WANTED)
    return code;
  for (size_t i = 0; i < sweep->axis_count; i++) {
    floe_status status = floe_model_define(sweep->session->model, sweep->axes[i].name, "0", sweep->session->log);
    if (status != FLOE_OK)
      return explain(status, sweep->session->log);
  }
  return EXIT_AS_WANTED;
}

static bool tell_json(struct sweep *sweep) {
  json_t *object = model_json(sweep->session->model, "sweep");
  json_object_set(object, "rows", sweep->rows);
  return put_json(sweep->options->json.text, object);
}

static int sweep_all(struct sweep *sweep) {
  int code = check_names(sweep);
  if (code != EXIT_AS_WANTED)
    return code;
  cases_begin(&sweep->cases, sweep->options, sweep->session->model);
  run_rows(sweep);
  bool written = !sweep->options->json.given || tell_json(sweep);
  if (!cases_end(&sweep->cases, true))
    written = false;
  return written ? sweep->worst : output_lost(sweep->worst);
}

int run_sweep(struct session *session, const struct options *options) {
  if (!sensible(options))
    return EXIT_USAGE;
  floe_options settings;
  make_settings(options, &settings);
  if (!options->report)
    settings.traces = false; /* a table has no place for them */
  struct sweep sweep = {
      .session = session, .options = options, .settings = &settings, .worst = EXIT_AS_WANTED, .rows = json_array()};
  int code = read_axes(&sweep) ? sweep_all(&sweep) : EXIT_USAGE;
  json_decref(sweep.rows);
  for (size_t i = 0; i < sweep.axis_count; i++)
    axis_free(&sweep.axes[i]);
  return code;
}
