/* floe export: write the state graph of a model for other tools. */
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/output.h"
#include "cmd/report/report.h"
#include "cmd/session.h"
#include "cmd/signals.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Larger graphs are unreadable as pictures. */
#define DOT_STATES 2000

struct export {
  floe_graph *graph;
  floe_graph_format format;
  floe_status *status;
};

static bool put_graph(FILE *stream, const void *data) {
  const struct export *export = data;
  *export->status = floe_graph_write(export->graph, export->format, stream);
  return *export->status == FLOE_OK;
}

static floe_graph_format graph_format(const struct options *options) {
  unsigned word;
  option_word(options, OPTION_format, IN(export), &word);
  return (floe_graph_format)word == FLOE_GRAPH_DOT && options->state_labels ? FLOE_GRAPH_DOT_STATES
                                                                            : (floe_graph_format)word;
}

static int write_graph(const struct options *options, floe_graph *graph, floe_log *log) {
  floe_status status = FLOE_OK;
  struct export export = {graph, graph_format(options), &status};
  bool written = write_file(options->output, put_graph, &export);
  if (status != FLOE_OK && status != FLOE_ERROR_IO)
    return print_failure(status, log);
  return written ? EXIT_SATISFIED : EXIT_OUTPUT;
}

/* Writes nothing, because an incomplete graph could be taken for a complete one. */
static int report_incomplete_graph(const floe_options *settings, floe_end end) {
  if (end == FLOE_END_STATES)
    print_error("raise --max-states; --format=aut has no limit by default",
                "graph not written: the model has more than %" PRIu64 " states", settings->max_states);
  else
    print_error(NULL, "graph not written: %s", end_text(end));
  return EXIT_UNDECIDED;
}

static int export_model(struct session *session, const struct options *options) {
  floe_options settings;
  floe_graph *graph;
  make_settings(options, &settings);
  if (graph_format(options) != FLOE_GRAPH_AUT && !GIVEN(options, max_states))
    settings.max_states = DOT_STATES;
  signals_end_reading();
  floe_status status = floe_graph_create(session->model, &settings, session->log, &graph);
  if (status != FLOE_OK)
    return print_failure(status, session->log);
  print_log(session->log);
  floe_end end = floe_graph_end(graph);
  int code =
      end == FLOE_END_COMPLETE ? write_graph(options, graph, session->log) : report_incomplete_graph(&settings, end);
  floe_graph_free(graph);
  return code;
}

static int run_export(const struct options *options, char *const *operands, int count) {
  (void)count;
  if (options->engine == FLOE_ENGINE_GPU) {
    print_error("use --engine=cpu, which uses all cores", "floe export does not support --engine=gpu");
    return EXIT_USAGE;
  }
  if (options->state_labels && graph_format(options) == FLOE_GRAPH_AUT) {
    print_error("add --format=dot", "--state-labels requires --format=dot");
    return EXIT_USAGE;
  }
  struct session session;
  signals_begin_reading(options->timeout);
  int code = session_begin(&session, operands[0], options);
  if (code == EXIT_SATISFIED)
    code = export_model(&session, options);
  session_close(&session);
  return code;
}

const struct command command_export = {
    .name = "export",
    .bit = IN(export),
    .operands = "MODEL",
    .summary = "Write the state graph of a model for other tools",
    .description = "States are numbered in breadth-first order; state 0 is the initial state.\n",
    .min_operands = 1,
    .max_operands = 1,
    .input_operands = 1,
    .run = run_export,
};
