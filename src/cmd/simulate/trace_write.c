#include "cmd/simulate/trace_file.h"

#include "cmd/command.h"

#include <stdlib.h>

static json_t *initial_record(const floe_trace *trace) {
  const size_t count = floe_trace_variables(trace);
  floe_change *values = calloc(count + 1, sizeof *values);
  if (!values)
    return NULL;
  trace_first_state(trace, values);
  json_t *state = state_record(values, count);
  free(values);
  return state;
}

static json_t *steps_record(const floe_trace *trace) {
  json_t *steps = json_array();
  for (size_t i = 0; i < floe_trace_steps(trace); i++) {
    floe_step step = floe_trace_step(trace, i);
    json_t *record = step_record(&step);
    add_printed(record, floe_trace_printed(trace, i));
    json_array_append_new(steps, record);
  }
  return steps;
}

/* A guess is no part of the model: a replay does not need it. */
static json_t *constants_of_trace(const floe_model *model) {
  json_t *constants = constants_json(model);
  for (size_t i = 0; i < floe_model_constants(model); i++)
    if (floe_model_constant(model, i).guessed)
      json_object_del(constants, floe_model_constant(model, i).name);
  return constants;
}

/* `fair`: the option --fair; NULL: the constraints are those of the property. */
static json_t *trace_record(const floe_model *model, const floe_verdict *verdict, const char *fair) {
  json_t *record = json_pack(
      "{s:s, s:s, s:s, s:I, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "property", verdict->property.id, "kind",
      floe_property_kind_name(verdict->property.kind), "verdict", floe_verdict_name(verdict->value), "depth",
      (json_int_t)verdict->depth, "cause", verdict->cause[0] ? text_json(verdict->cause) : json_null(), "model",
      floe_model_name(model), "digest", floe_model_digest(model), "file", text_json(floe_model_file(model)),
      "constants", constants_of_trace(model), "initial", initial_record(verdict->trace), "steps",
      steps_record(verdict->trace), "parts", parts_json(verdict->trace));
  add_loop(record, verdict->trace);
  if (fair && floe_trace_loop(verdict->trace) != FLOE_NO_LOOP)
    json_object_set_new(record, "fair", text_json(fair));
  return record;
}

json_t *walk_record(const floe_model *model, json_t *initial, json_t *steps) {
  return json_pack("{s:s, s:s, s:s, s:I, s:n, s:s, s:s, s:o, s:o, s:O, s:O, s:[]}", "property", "walk", "kind", "walk",
                   "verdict", "walked", "depth", (json_int_t)json_array_size(steps), "cause", "model",
                   floe_model_name(model), "digest", floe_model_digest(model), "file",
                   text_json(floe_model_file(model)), "constants", constants_of_trace(model), "initial", initial,
                   "steps", steps, "parts");
}

json_t *traces_file(json_t *traces) {
  return json_pack("{s:s, s:i, s:s, s:o}", "format", "floe-traces", "version", 1, "floe", floe_version(), "traces",
                   traces);
}

bool write_traces(const struct report *report) {
  json_t *traces = json_array();
  for (size_t i = 0; i < floe_result_verdicts(report->result); i++) {
    floe_verdict verdict = floe_result_verdict(report->result, i);
    if (verdict.trace)
      json_array_append_new(traces, trace_record(report->model, &verdict, report->options->fair));
  }
  return put_json(report->options->trace, traces_file(traces));
}
