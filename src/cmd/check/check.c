/* floe check, floe count: explore a model and tell the result. */
#include "cmd/check/expect.h"
#include "cmd/check/sweep.h"
#include "cmd/command.h"
#include "cmd/message.h"
#include "cmd/output.h"
#include "cmd/report/report.h"
#include "cmd/report/report_html.h"
#include "cmd/session.h"
#include "cmd/signals.h"
#include "cmd/simulate/trace_file.h"

int check_tell(const struct report *report) {
  const struct options *options = report->options;
  const floe_summary *summary = floe_result_summary(report->result);
  bool written = !summary->order_lost && !summary->checkpoint_lost;
  if (!json_instead(options))
    report_text(report);
  fflush(stdout);
  if (options->json.given && !put_json(options->json.text, report_json(report)))
    written = false;
  if (options->trace && !write_traces(report))
    written = false;
  if (options->report && !write_report(report))
    written = false;
  return written ? report_code(report) : output_lost(report_code(report));
}

static int explore(struct session *session, const char *command, const struct options *options) {
  floe_options settings;
  floe_result *result;
  make_settings(options, &settings);
  settings.count_only = command == command_count.name;
  int code = session_explore(session, &settings, &result);
  if (code != EXIT_AS_WANTED)
    return code;
  print_log(session->log);
  struct report report = {command, options, session->model, result, 0};
  code = check_tell(&report);
  floe_result_free(result);
  return code;
}

/* --report is about explorations. */
static bool may_write_report(const struct options *options) {
  if (!options->report || !options->dump_code.given)
    return true;
  complain(NULL, "--report does not go with --dump-code");
  return false;
}

/* --trace wants the traces of one exploration. */
static bool may_write_traces(const struct options *options) {
  const char *other = options->no_trace ? "no-trace" : options->expect ? "expect" : options->sweep.n ? "sweep" : NULL;
  if (!options->trace || !other)
    return true;
  complain(NULL, "--trace does not go with --%s", other);
  return false;
}

/* A file is of one exploration, and of the states, not of their order. */
static bool may_keep(const struct options *options) {
  const char *other = options->expect            ? "expect"
                      : options->sweep.n         ? "sweep"
                      : options->dump_code.given ? "dump-code"
                      : options->visited_order   ? "visited-order"
                                                 : NULL;
  if (options->checkpoint && other) {
    complain(options->visited_order ? "a search that goes on does not have the order of what came before" : NULL,
             "--checkpoint does not go with --%s", other);
    return false;
  }
  if (options->checkpoint || !GIVEN(options, checkpoint_every))
    return true;
  complain("--checkpoint=FILE says where", "--checkpoint-every goes with --checkpoint");
  return false;
}

static int work(struct session *session, const char *command, const struct options *options) {
  if (!may_write_traces(options) || !may_write_report(options) || !may_keep(options))
    return EXIT_USAGE;
  if (options->sweep.n)
    return run_sweep(session, options);
  if (options->expect)
    return run_expectations(session, options);
  int code = session_define(session, &options->define);
  if (code == EXIT_AS_WANTED)
    code = session_check(session);
  if (code != EXIT_AS_WANTED)
    return code;
  if (options->dump_code.given)
    return session_dump_code(session, &options->dump_code);
  return explore(session, command, options);
}

static int run(const char *command, const struct options *options, const char *path) {
  struct session session;
  signals_begin_reading(options->timeout);
  int code = session_open(&session, path);
  if (code == EXIT_AS_WANTED)
    code = work(&session, command, options);
  session_close(&session);
  return code;
}

static int run_check(const struct options *options, char *const *operands, int count) {
  (void)count;
  return run(command_check.name, options, operands[0]);
}

static int run_count(const struct options *options, char *const *operands, int count) {
  (void)count;
  return run(command_count.name, options, operands[0]);
}

const struct command command_check = {
    .name = "check",
    .bit = IN(check),
    .operands = "MODEL",
    .summary = "Explore all states of a model and check its properties",
    .description = "Stops at the first violation, with a shortest trace to it; --continue explores\n"
                   "all states. Use - as MODEL to read it from standard input.\n",
    .least = 1,
    .most = 1,
    .reads = 1,
    .run = run_check,
};

const struct command command_count = {
    .name = "count",
    .bit = IN(count),
    .operands = "MODEL",
    .summary = "Count the states of a model; check only for run-time errors",
    .description = "",
    .least = 1,
    .most = 1,
    .reads = 1,
    .run = run_count,
};
