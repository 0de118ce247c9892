#include "cmd/check/sweep.h"

#include "cmd/check/sweep_axis.h"
#include "cmd/command.h"
#include "cmd/console/message.h"
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
  int worst;            /* worst exit code of the rows so far */
  json_t *rows;
  struct cases cases; /* of --report */
  bool log_printed;   /* the warnings of all rows are nearly equal: those of the first are printed */
};

/* ---- exit codes ------------------------------------------------------------------------------ */

/* Position from best to worst. A violation outweighs an undecided row, because it is certain. */
static int severity_rank(int code) {
  static const int order[] = {
      [EXIT_SATISFIED] = 0, [EXIT_VIOLATED] = 2, [EXIT_UNDECIDED] = 1, [EXIT_USAGE] = 3, [EXIT_INTERNAL] = 4};
  return order[code];
}

static const char *outcome_json_name(int code) {
  static const char *const names[] = {[EXIT_SATISFIED] = "as wanted",
                                      [EXIT_VIOLATED] = "violated",
                                      [EXIT_UNDECIDED] = "undecided",
                                      [EXIT_USAGE] = "refused",
                                      [EXIT_INTERNAL] = "failed"};
  return names[code];
}

/* ---- the table ------------------------------------------------------------------------------- */

static int64_t current_value(const struct sweep *sweep, size_t i) { return sweep->axes[i].values[sweep->at[i]]; }

/* Width of the name and of every value. */
static int axis_width(const struct axis *axis) {
  int width = (int)strlen(axis->name);
  for (size_t i = 0; i < axis->n; i++) {
    int digits = snprintf(NULL, 0, "%" PRId64, axis->values[i]);
    width = digits > width ? digits : width;
  }
  return width;
}

static void print_sweep_head(const struct sweep *sweep) {
  for (size_t i = 0; i < sweep->axis_count; i++)
    printf("%*s  ", axis_width(&sweep->axes[i]), sweep->axes[i].name);
  printf("%12s  %13s  %7s  %9s  %10s  verdicts\n", "states", "transitions", "depth", "seconds", "memory");
}

static void print_axes(const struct sweep *sweep) {
  for (size_t i = 0; i < sweep->axis_count; i++)
    printf("%*" PRId64 "  ", axis_width(&sweep->axes[i]), current_value(sweep, i));
}

/* The properties that are violated, or undecided for a reason. */
static void print_row_verdicts(const floe_result *result, int code) {
  if (code == EXIT_SATISFIED) {
    puts("all satisfied");
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
    if (verdict.satisfied || verdict.value == FLOE_UNDECIDED)
      continue;
    verdict_text(verdict.value, verdict_level(&verdict), text, sizeof text);
    printf("%s%s %s", between, verdict.property.id, text);
    between = ", ";
  }
  putchar('\n');
}

static uint64_t memory_of(const floe_summary *summary) {
  return summary->table_bytes + summary->tree_bytes + summary->frontier_bytes;
}

static void print_row(const struct sweep *sweep, const floe_result *result, int code) {
  const floe_summary *summary = floe_result_summary(result);
  char memory[QUANTITY];
  print_axes(sweep);
  printf("%12" PRIu64 "  %13" PRIu64 "  %7" PRIu32 "  %9.3f  %10s  ", summary->states, summary->transitions,
         greatest_depth(summary), summary->total_seconds, byte_text(memory_of(summary), memory));
  print_row_verdicts(result, code);
  fflush(stdout); /* a row may take long: show it when it is complete */
}

static void print_rejected_row(const struct sweep *sweep, int code, const char *why) {
  print_axes(sweep);
  printf("%12s  %13s  %7s  %9s  %10s  %s: %.*s\n", "-", "-", "-", "-", "-", outcome_json_name(code),
         (int)strcspn(why, "\n:"), why);
  fflush(stdout);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static json_t *axes_json(const struct sweep *sweep) {
  json_t *constants = json_object();
  for (size_t i = 0; i < sweep->axis_count; i++)
    json_object_set_new(constants, sweep->axes[i].name, json_integer(current_value(sweep, i)));
  return constants;
}

/* Counts and stores the row; takes ownership of `result`. */
static void record_row(struct sweep *sweep, int code, const char *why, json_t *result) {
  if (severity_rank(code) > severity_rank(sweep->worst))
    sweep->worst = code;
  json_array_append_new(sweep->rows, json_pack("{s:o, s:s, s:o, s:o}", "constants", axes_json(sweep), "outcome",
                                               outcome_json_name(code), "message", why ? json_string(why) : json_null(),
                                               "result", result));
}

static void add_report_row(struct sweep *sweep, int code, const char *note, const floe_result *result) {
  const struct case_result entry = {outcome_json_name(code), note, result};
  json_t *constants = axes_json(sweep);
  cases_add(&sweep->cases, constants, &entry);
  json_decref(constants);
}

static const char *first_error(const floe_log *log) {
  for (size_t i = 0; i < floe_log_count(log); i++)
    if (floe_log_at(log, i)->severity == FLOE_ERROR)
      return floe_log_at(log, i)->message;
  return "";
}

/* The model is invalid or too large for these values: the table has a row for them, too. */
static void record_rejected_row(struct sweep *sweep, floe_status status) {
  floe_log *log = sweep->session->log;
  const char *why = first_error(log);
  why = *why ? why : floe_status_name(status);
  int code = status == FLOE_ERROR_MEMORY ? EXIT_UNDECIDED : status == FLOE_ERROR_INTERNAL ? EXIT_INTERNAL : EXIT_USAGE;
  if (!json_replaces_text(sweep->options))
    print_rejected_row(sweep, code, why);
  add_report_row(sweep, code, why, NULL);
  record_row(sweep, code, why, json_null());
  print_log(log);
}

static void record_result(struct sweep *sweep, const floe_result *result) {
  struct report report = {command_check.name, sweep->options, sweep->session->model, result, 0};
  int code = report_code(&report);
  if (!json_replaces_text(sweep->options))
    print_row(sweep, result, code);
  add_report_row(sweep, code, "", result);
  record_row(sweep, code, NULL, report_json(&report));
}

static void print_row_log(struct sweep *sweep) {
  if (!sweep->log_printed)
    print_log(sweep->session->log);
  sweep->log_printed = true;
  floe_log_clear(sweep->session->log);
}

static floe_status define_row(struct sweep *sweep) {
  struct session *session = sweep->session;
  for (size_t i = 0; i < sweep->axis_count; i++) {
    char value[32];
    snprintf(value, sizeof value, "%" PRId64, current_value(sweep, i));
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
    status = session_explore_logged(sweep->session, sweep->settings, &result);
  if (status != FLOE_OK) {
    record_rejected_row(sweep, status);
    return;
  }
  print_row_log(sweep);
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
  if (!json_replaces_text(sweep->options))
    print_sweep_head(sweep);
  do
    run_row(sweep);
  while (!signals_received() && advance(sweep));
  if (signals_received() && severity_rank(sweep->worst) < severity_rank(EXIT_UNDECIDED))
    sweep->worst = EXIT_UNDECIDED;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* Rejects options of a single run. */
static bool check_sweep_options(const struct options *options) {
  const char *wrong = options->expect               ? "expect"
                      : options->dump_code.given    ? "dump-code"
                      : options->visited_order      ? "visited-order"
                      : GIVEN(options, certificate) ? "certificate"
                                                    : NULL;
  if (wrong)
    print_error("--sweep runs several explorations; omit one of the two", "--sweep cannot be combined with --%s",
                wrong);
  return !wrong;
}

static bool is_given(const struct list *definitions, const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < definitions->n; i++)
    if (strncmp(definitions->items[i], name, length) == 0 && definitions->items[i][length] == '=')
      return true;
  return false;
}

/* A constant may appear in one option only. */
static bool add_axis(struct sweep *sweep, const char *text) {
  if (sweep->axis_count == MOST_AXES) {
    print_error("fix some constants by -D", "--sweep is given more than %d times", MOST_AXES);
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
    print_error("list all values in one --sweep, for example --sweep N=2..4,8", "constant %s is given twice",
                axis->name);
  return !twice;
}

static bool read_axes(struct sweep *sweep) {
  size_t rows = 1;
  for (size_t i = 0; i < sweep->options->sweep.n; i++) {
    if (!add_axis(sweep, sweep->options->sweep.items[i]))
      return false;
    rows *= sweep->axes[i].n;
    if (rows > MOST_ROWS) {
      print_error("list fewer values", "--sweep has more than %d combinations", MOST_ROWS);
      return false;
    }
  }
  return true;
}

/* An unknown constant is an error in the command line, not a row. */
static int check_names(struct sweep *sweep) {
  int code = session_define(sweep->session, &sweep->options->define);
  if (code != EXIT_SATISFIED)
    return code;
  for (size_t i = 0; i < sweep->axis_count; i++) {
    floe_status status = floe_model_define(sweep->session->model, sweep->axes[i].name, "0", sweep->session->log);
    if (status != FLOE_OK)
      return print_failure(status, sweep->session->log);
  }
  return EXIT_SATISFIED;
}

static bool write_sweep_json(struct sweep *sweep) {
  json_t *object = model_json(sweep->session->model, "sweep");
  json_object_set(object, "rows", sweep->rows);
  return put_json(sweep->options->json.text, object);
}

static int sweep_all(struct sweep *sweep) {
  int code = check_names(sweep);
  if (code != EXIT_SATISFIED)
    return code;
  cases_begin(&sweep->cases, sweep->options, sweep->session->model);
  run_rows(sweep);
  bool written = !sweep->options->json.given || write_sweep_json(sweep);
  if (!cases_end(&sweep->cases, true))
    written = false;
  return written ? sweep->worst : output_failed(sweep->worst);
}

int run_sweep(struct session *session, const struct options *options) {
  if (!check_sweep_options(options))
    return EXIT_USAGE;
  floe_options settings;
  make_settings(options, &settings);
  if (!options->report)
    settings.traces = false; /* the table does not show them */
  struct sweep sweep = {
      .session = session, .options = options, .settings = &settings, .worst = EXIT_SATISFIED, .rows = json_array()};
  int code = read_axes(&sweep) ? sweep_all(&sweep) : EXIT_USAGE;
  json_decref(sweep.rows);
  for (size_t i = 0; i < sweep.axis_count; i++)
    axis_free(&sweep.axes[i]);
  return code;
}
