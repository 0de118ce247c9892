/* floe replay: execute the traces of a file again. */
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/output.h"
#include "cmd/report/report.h"
#include "cmd/session.h"
#include "cmd/simulate/deadlock.h"
#include "cmd/simulate/trace_replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct replay {
  const struct options *options;
  struct session session;
  const char *file;
  json_t *traces;
  const json_t *constants; /* present constants of the model; NULL: none set */
  bool prints_text;        /* to standard output */
  json_t *reports;         /* for --json, an object per trace */
};

static const char *trace_member(const json_t *trace, const char *name) {
  return json_string_value(json_object_get(trace, name));
}

static int report_out_of_memory(void) {
  print_error(NULL, "out of memory");
  return EXIT_UNDECIDED;
}

/* ---- constants ----------------------------------------------------------------------------- */

/* Compares -D NAME=VALUE with the trace's value of NAME. */
static bool constant_agrees(const struct replay *replay, const json_t *trace, const char *definition) {
  size_t length = strcspn(definition, "=");
  const char *name, *text = definition + length + (definition[length] == '=');
  json_t *value;
  int64_t given = definition_value(text);
  json_object_foreach(json_object_get(trace, "constants"), name, value) {
    if (strlen(name) != length || strncmp(name, definition, length) != 0 || given == json_integer_value(value))
      continue;
    print_error("omit -D: a trace contains its constants",
                "-D %s contradicts the trace of '%s' in %s, which has %" JSON_INTEGER_FORMAT, definition,
                trace_member(trace, "property"), replay->file, json_integer_value(value));
    return false;
  }
  return true;
}

static int set_constants(struct replay *replay, const json_t *trace) {
  const char *name;
  json_t *value;
  struct session *session = &replay->session;
  json_object_foreach(json_object_get(trace, "constants"), name, value) {
    char text[32];
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    floe_status status = floe_model_define(session->model, name, text, session->log);
    if (status != FLOE_OK)
      return print_failure(status, session->log);
  }
  const int code = session_check(session);
  return code == EXIT_SATISFIED ? session_widen(session) : code;
}

static int use_trace_constants(struct replay *replay, const json_t *trace) {
  const struct list *definitions = &replay->options->define;
  const json_t *constants = json_object_get(trace, "constants");
  int code = EXIT_SATISFIED;
  for (size_t i = 0; i < definitions->n; i++)
    if (!constant_agrees(replay, trace, definitions->items[i]))
      return EXIT_USAGE;
  if (replay->constants && json_equal(replay->constants, constants))
    return code;
  floe_model_undefine_all(replay->session.model);
  code = session_define(&replay->session, definitions);
  if (code == EXIT_SATISFIED)
    code = set_constants(replay, trace);
  replay->constants = constants;
  return code;
}

/* ---- one trace ----------------------------------------------------------------------------- */

/* The result of replaying a trace. */
struct outcome {
  enum trace_replay_result end;
  struct problem problem;    /* "": it replays */
  const floe_trace *blocked; /* if it ends in a deadlock, else NULL */
};

/* What the steps print, which the model has confirmed. */
static void print_texts(const json_t *trace) {
  size_t i;
  json_t *step;
  json_array_foreach(json_object_get(trace, "steps"), i, step) {
    const char *text = trace_member(step, "prints");
    if (!text)
      continue;
    printf("  %zu. %s\n", i + 1, printable(trace_member(step, "action")));
    report_printed(stdout, text);
  }
}

static void print_outcome(const struct replay *replay, const json_t *trace, const struct outcome *outcome) {
  if (outcome->end == REPLAY_DIFFERS)
    printf("%s: does not replay: %s\n", printable(trace_member(trace, "property")), outcome->problem.text);
  else
    printf("%s: replayed, %s at depth %" JSON_INTEGER_FORMAT "\n", printable(trace_member(trace, "property")),
           printable(trace_member(trace, "verdict")), json_integer_value(json_object_get(trace, "depth")));
  if (outcome->end != REPLAY_DIFFERS)
    print_texts(trace);
  if (outcome->blocked)
    report_blocked(stdout, outcome->blocked, floe_model_file(replay->session.model));
}

static json_t *outcome_json(const struct replay *replay, const json_t *trace, const struct outcome *outcome) {
  const char *problem = outcome->problem.text;
  const floe_model *model = replay->session.model;
  return json_pack("{s:O, s:O, s:O, s:o, s:b, s:b, s:o, s:o}", "property", json_object_get(trace, "property"),
                   "verdict", json_object_get(trace, "verdict"), "depth", json_object_get(trace, "depth"), "constants",
                   constants_json(model), "text_changed",
                   (int)(strcmp(trace_member(trace, "digest"), floe_model_digest(model)) != 0), "replays",
                   (int)!*problem, "problem", *problem ? text_json(problem) : json_null(), "waiting",
                   blocked_json(outcome->blocked));
}

static int report_outcome(struct replay *replay, const json_t *trace, const struct outcome *outcome) {
  if (outcome->end == REPLAY_NO_MEMORY)
    return report_out_of_memory();
  if (replay->prints_text)
    print_outcome(replay, trace, outcome);
  if (replay->reports && json_array_append_new(replay->reports, outcome_json(replay, trace, outcome)) != 0)
    return report_out_of_memory();
  return outcome->end == REPLAY_DIFFERS ? EXIT_VIOLATED : EXIT_SATISFIED;
}

static int replay_and_report(struct replay *replay, const json_t *trace) {
  struct session *session = &replay->session;
  struct outcome outcome = {.problem = {""}};
  floe_simulator *simulator;
  floe_expansion *state;
  floe_status status = floe_simulator_create(session->model, session->log, &simulator);
  if (status != FLOE_OK)
    return print_failure(status, session->log);
  outcome.end = trace_replay_run(session->model, simulator, trace, NULL, NULL, &outcome.problem);
  if (outcome.end == REPLAY_CONFIRMED && (floe_simulator_expansion(simulator, &state) != FLOE_OK ||
                                          deadlock_explain(session->model, state, &outcome.blocked) != FLOE_OK))
    outcome.end = REPLAY_NO_MEMORY;
  int code = report_outcome(replay, trace, &outcome);
  floe_simulator_free(simulator);
  return code;
}

static int replay_one(struct replay *replay, const json_t *trace) {
  struct problem problem;
  const floe_model *model = replay->session.model;
  if (strcmp(trace_member(trace, "model"), floe_model_name(model)) == 0) {
    int code = use_trace_constants(replay, trace);
    if (code != EXIT_SATISFIED)
      return code;
  }
  if (!trace_replay_fits(model, trace, &problem)) {
    print_error(NULL, "%s: %s", replay->file, problem.text);
    return EXIT_USAGE;
  }
  if (strcmp(trace_member(trace, "digest"), floe_model_digest(model)) != 0)
    fprintf(stderr, "floe: note: the text of %s has changed since the trace of %s was written\n",
            printable(floe_model_file(model)), printable(trace_member(trace, "property")));
  return replay_and_report(replay, trace);
}

/* ---- all traces ---------------------------------------------------------------------------- */

static bool is_selected_trace(const struct list *ids, const json_t *trace) {
  for (size_t i = 0; i < ids->n; i++)
    if (strcmp(ids->items[i], trace_member(trace, "property")) == 0)
      return true;
  return ids->n == 0;
}

/* True if every property of -p has a trace. */
static bool traces_exist(const struct replay *replay) {
  const struct list *ids = &replay->options->property;
  for (size_t i = 0; i < ids->n; i++) {
    const struct list one = {&ids->items[i], 1};
    size_t j, found = 0;
    json_t *trace;
    json_array_foreach(replay->traces, j, trace) found += is_selected_trace(&one, trace);
    if (found == 0) {
      print_error(NULL, "%s has no trace of property '%s'", replay->file, ids->items[i]);
      return false;
    }
  }
  return true;
}

/* Reports a trace that differs and continues with the others; any other failure ends the replay. */
static int replay_all(struct replay *replay) {
  int code = EXIT_SATISFIED;
  size_t i;
  json_t *trace;
  if (!traces_exist(replay))
    return EXIT_USAGE;
  json_array_foreach(replay->traces, i, trace) {
    if (!is_selected_trace(&replay->options->property, trace))
      continue;
    int one = replay_one(replay, trace);
    if (one > EXIT_VIOLATED)
      return one;
    code = one > code ? one : code;
  }
  return code;
}

/* Writes the JSON object only if all traces were tried. */
static int replay_and_write_json(struct replay *replay) {
  const struct optional *json = &replay->options->json;
  replay->prints_text = !json_replaces_text(replay->options);
  replay->reports = json->given ? json_array() : NULL;
  if (json->given && !replay->reports)
    return report_out_of_memory();
  int code = replay_all(replay);
  if (!json->given || code > EXIT_VIOLATED)
    return code;
  json_t *object = model_json(replay->session.model, "replay");
  if (object) {
    json_object_set_new(object, "trace_file", text_json(replay->file));
    json_object_set(object, "traces", replay->reports);
  }
  return put_json(json->text, object) ? code : output_failed(code);
}

static int run_replay(const struct options *options, char *const *operands, int count) {
  (void)count;
  struct problem problem;
  struct replay replay = {.options = options, .file = operands[1]};
  int code = session_open(&replay.session, operands[0], options);
  if (code == EXIT_SATISFIED) {
    replay.traces = trace_file_load(operands[1], &problem);
    if (!replay.traces) {
      print_error(NULL, "%s is not a readable trace file: %s", operands[1], problem.text);
      code = EXIT_USAGE;
    }
  }
  if (code == EXIT_SATISFIED)
    code = replay_and_write_json(&replay);
  json_decref(replay.reports);
  json_decref(replay.traces);
  session_close(&replay.session);
  return code;
}

const struct command command_replay = {
    .name = "replay",
    .bit = IN(replay),
    .operands = "MODEL TRACE",
    .summary = "Re-execute traces written by check --trace",
    .description = "Executes every step again, compares it with the file, and evaluates the property\n"
                   "in the last state. The constants are those of the trace. The exit code is 1 if a\n"
                   "step or the end differs; the difference is printed.\n",
    .min_operands = 2,
    .max_operands = 2,
    .input_operands = 2,
    .run = run_replay,
};
