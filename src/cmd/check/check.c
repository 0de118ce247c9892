/* floe check and floe count: explore a model and report the results. */
#include "cmd/check/expect.h"
#include "cmd/check/reduction.h"
#include "cmd/check/sweep.h"
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/output.h"
#include "cmd/report/report.h"
#include "cmd/report/report_html.h"
#include "cmd/session.h"
#include "cmd/signals.h"
#include "cmd/simulate/trace_file.h"

#include <string.h>

/* A form without anything else beside it. */
static bool is_own_form(const struct options *options) { return is_junit(options) || is_tool_form(options); }

int check_report(const struct report *report) {
  const struct options *options = report->options;
  const floe_summary *summary = floe_result_summary(report->result);
  bool written = !summary->visited_order_failed && !summary->checkpoint_failed;
  if (!json_replaces_text(options) && !(is_own_form(options) && is_standard_output(options->output)))
    report_text(report);
  fflush(stdout);
  if (options->json.given && !put_json(options->json.text, report_json(report)))
    written = false;
  if (is_junit(options) && !write_junit(report))
    written = false;
  if (is_tool_form(options) && !write_tool_form(report))
    written = false;
  if (options->spin_trail && !write_trail(report))
    written = false;
  if (options->trace && !write_traces(report))
    written = false;
  if (options->report && !write_report(report))
    written = false;
  return written ? report_code(report) : output_failed(report_code(report));
}

static int explore_and_report(struct session *session, const char *command, const struct options *options) {
  floe_options settings;
  floe_result *result;
  make_settings(options, &settings);
  settings.count_only = command == command_count.name;
  int code = session_explore(session, &settings, &result);
  if (code != EXIT_SATISFIED)
    return code;
  print_log(session->log);
  struct report report = {command, options, session->model, result, 0};
  code = check_report(&report);
  floe_result_free(result);
  return code;
}

/* --dump-code explores nothing to report. */
static bool check_report_option(const struct options *options) {
  if (!options->report || !options->dump_code.given)
    return true;
  print_error("omit one of them", "--report cannot be combined with --dump-code");
  return false;
}

/* --trace and --spin-trail write traces of a single exploration. */
static bool check_trace_option(const struct options *options) {
  const char *other = options->no_trace ? "no-trace" : options->expect ? "expect" : options->sweep.n ? "sweep" : NULL;
  if ((!options->trace && !options->spin_trail) || !other)
    return true;
  print_error("omit one of them", "--%s cannot be combined with --%s", options->trace ? "trace" : "spin-trail", other);
  return false;
}

/* The option that excludes the --format of the result; NULL: none. JUnit and Spin's form are of a single exploration.
 */
static const char *excludes_format(const struct options *options) {
  const bool prints = is_standard_output(options->output);
  return options->json.given                                                        ? "json"
         : options->dump_code.given                                                 ? "dump-code"
         : is_own_form(options) && options->expect                                  ? "expect"
         : is_own_form(options) && options->sweep.n                                 ? "sweep"
         : is_own_form(options) && prints && options->certificate                   ? "certificate"
         : prints && options->trace && is_standard_output(options->trace)           ? "trace"
         : prints && options->spin_trail && is_standard_output(options->spin_trail) ? "spin-trail"
         : prints && options->report && is_standard_output(options->report)         ? "report"
                                                                                    : NULL;
}

static bool check_format_option(const struct options *options) {
  if (!options->format || strcmp(options->format, "text") == 0) {
    if (options->output)
      print_error("add --format=junit, json or spin", "--output requires a --format other than text");
    return !options->output;
  }
  const char *other = excludes_format(options);
  if (other)
    print_error("omit one of them", "--format=%s cannot be combined with --%s", options->format, other);
  return !other;
}

/* A checkpoint has the states of a single exploration, but not their order. */
static bool check_checkpoint_options(const struct options *options) {
  const char *other = options->expect            ? "expect"
                      : options->sweep.n         ? "sweep"
                      : options->dump_code.given ? "dump-code"
                      : options->visited_order   ? "visited-order"
                                                 : NULL;
  if (options->checkpoint && other) {
    print_error(options->visited_order ? "a checkpoint does not contain the order of the states" : "omit one of them",
                "--checkpoint cannot be combined with --%s", other);
    return false;
  }
  if (options->checkpoint || !GIVEN(options, checkpoint_every))
    return true;
  print_error("add --checkpoint=FILE", "--checkpoint-every requires --checkpoint");
  return false;
}

static int check_model(struct session *session, const char *command, const struct options *options) {
  if (!check_trace_option(options) || !check_report_option(options) || !check_checkpoint_options(options) ||
      !check_reduction_options(options))
    return EXIT_USAGE;
  if (options->sweep.n)
    return run_sweep(session, options);
  if (options->expect)
    return run_expectations(session, options);
  int code = session_define(session, &options->define);
  if (code == EXIT_SATISFIED)
    code = session_check(session);
  if (code == EXIT_SATISFIED)
    code = reduce_for_check(session, options);
  if (code != EXIT_SATISFIED)
    return code;
  if (!check_tool(options, session->model))
    return EXIT_USAGE;
  if (options->dump_code.given)
    return session_dump_code(session, &options->dump_code);
  return explore_and_report(session, command, options);
}

static int open_and_check(const char *command, const struct options *options, const char *path) {
  struct session session;
  signals_begin_reading(options->timeout);
  int code = session_open(&session, path, options);
  if (code == EXIT_SATISFIED)
    code = check_model(&session, command, options);
  session_close(&session);
  return code;
}

/* --format=json is --json. */
static int run_check(const struct options *options, char *const *operands, int count) {
  (void)count;
  struct options with = *options;
  if (!check_format_option(options))
    return EXIT_USAGE;
  if (options->format && strcmp(options->format, "json") == 0)
    with.json = (struct optional){true, options->output};
  return open_and_check(command_check.name, &with, operands[0]);
}

static int run_count(const struct options *options, char *const *operands, int count) {
  (void)count;
  return open_and_check(command_count.name, options, operands[0]);
}

const struct command command_check = {
    .name = "check",
    .bit = IN(check),
    .operands = "MODEL",
    .summary = "Explore all states of a model and check its properties",
    .description = "Stops at the first violation, with a shortest trace to it; --continue explores\n"
                   "all states. Use - as MODEL to read it from standard input.\n",
    .min_operands = 1,
    .max_operands = 1,
    .input_operands = 1,
    .run = run_check,
};

const struct command command_count = {
    .name = "count",
    .bit = IN(count),
    .operands = "MODEL",
    .summary = "Count the states of a model; check only for run-time errors",
    .description = "",
    .min_operands = 1,
    .max_operands = 1,
    .input_operands = 1,
    .run = run_count,
};
