/* floe export: write the state graph of a model, or the automaton of a temporal property, for other tools. */
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

enum format_word { WORD_AUT, WORD_DOT, WORD_HOA };

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

static enum format_word format_word(const struct options *options) {
  unsigned word;
  option_word(options, OPTION_format, IN(export), &word);
  return (enum format_word)word;
}

static floe_graph_format graph_format(const struct options *options) {
  if (format_word(options) == WORD_AUT)
    return FLOE_GRAPH_AUT;
  return options->state_labels ? FLOE_GRAPH_DOT_STATES : FLOE_GRAPH_DOT;
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

/* ---- automata ------------------------------------------------------------------------------------- */

struct automaton_export {
  const struct session *session;
  size_t property;
  floe_automaton_format format;
  floe_status *status;
};

static bool put_automaton(FILE *stream, const void *data) {
  const struct automaton_export *export = data;
  *export->status =
      floe_automaton_write(export->session->model, export->property, export->format, stream, export->session->log);
  return *export->status == FLOE_OK;
}

/* False: the model has no temporal property of this name, after a message. */
static bool find_temporal(const floe_model *model, const char *id, size_t *property) {
  char list[200] = "";
  size_t length = 0;
  for (size_t i = 0; i < floe_model_properties(model); i++) {
    const floe_property found = floe_model_property(model, i);
    if (found.kind != FLOE_LTL)
      continue;
    *property = i;
    if (strcmp(found.id, id) == 0)
      return true;
    if (length < sizeof list)
      length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", found.id);
  }
  print_error(length ? list : "temporal kinds are ltl, eventually and leadsto",
              "the model has no temporal property '%s'%s", id, length ? "; it has these" : "");
  return false;
}

static int export_automaton(struct session *session, const struct options *options) {
  floe_status status = FLOE_OK;
  struct automaton_export export = {
      .session = session,
      .format = format_word(options) == WORD_DOT ? FLOE_AUTOMATON_DOT : FLOE_AUTOMATON_HOA,
      .status = &status,
  };
  signals_end_reading();
  if (!find_temporal(session->model, options->never, &export.property))
    return EXIT_USAGE;
  bool written = write_file(options->output, put_automaton, &export);
  if (status != FLOE_OK && status != FLOE_ERROR_IO)
    return print_failure(status, session->log);
  print_log(session->log);
  return written ? EXIT_SATISFIED : EXIT_OUTPUT;
}

/* ---- the command ---------------------------------------------------------------------------------- */

/* False after a message. */
static bool check_options(const struct options *options) {
  const enum format_word word = format_word(options);
  if (options->engine == FLOE_ENGINE_GPU)
    print_error("use --engine=cpu, which uses all cores", "floe export does not support --engine=gpu");
  else if (options->never && GIVEN(options, format) && word == WORD_AUT)
    print_error("use --format=hoa or --format=dot", "--format=aut is for state graphs, not for automata");
  else if (options->never && options->state_labels)
    print_error(NULL, "--state-labels is for state graphs, not for automata");
  else if (!options->never && word == WORD_HOA)
    print_error("name a temporal property with --never=ID", "--format=hoa is for automata, not for state graphs");
  else if (!options->never && options->state_labels && word == WORD_AUT)
    print_error("add --format=dot", "--state-labels requires --format=dot");
  else
    return true;
  return false;
}

static int run_export(const struct options *options, char *const *operands, int count) {
  (void)count;
  if (!check_options(options))
    return EXIT_USAGE;
  struct session session;
  signals_begin_reading(options->timeout);
  int code = session_begin(&session, operands[0], options);
  if (code == EXIT_SATISFIED)
    code = options->never ? export_automaton(&session, options) : export_model(&session, options);
  session_close(&session);
  return code;
}

const struct command command_export = {
    .name = "export",
    .bit = IN(export),
    .operands = "MODEL",
    .summary = "Write the state graph of a model for other tools",
    .description = "States are numbered in breadth-first order; state 0 is the initial state.\n"
                   "With --never, write the automaton of a temporal property's negation instead.\n",
    .min_operands = 1,
    .max_operands = 1,
    .input_operands = 1,
    .run = run_export,
};
