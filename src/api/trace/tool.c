/* Results and traces in the form of another tool (model/tool.h). */
#include "model/tool.h"
#include "api/api.h"
#include "api/result/result.h"
#include "core/usage.h"

static const struct tool *tool_of(const floe_model *model) {
  return model && model->model && model->model->tool ? model->model->tool->tool : NULL;
}

const char *floe_model_tool(const floe_model *model) {
  const struct tool *tool = tool_of(model);
  return tool ? tool->name : "";
}

static floe_status written(FILE *stream) { return ferror(stream) ? FLOE_ERROR_IO : FLOE_OK; }

static const struct tool_trace *trace_of(const floe_trace *trace) {
  return trace && trace->tool ? &trace->tool_trace : NULL;
}

floe_status floe_result_write_tool(const floe_result *result, const floe_model *model, FILE *stream) {
  const struct tool *tool = tool_of(model);
  REQUIRE(NULL, result);
  REQUIRE(NULL, model);
  REQUIRE(NULL, stream);
  if (!tool)
    return FLOE_ERROR_UNSUPPORTED;
  tool->write_result(result, trace_of, stream);
  return written(stream);
}

floe_status floe_trace_write_tool(const floe_trace *trace, FILE *stream) {
  REQUIRE(NULL, trace);
  REQUIRE(NULL, stream);
  if (!trace->tool)
    return FLOE_ERROR_UNSUPPORTED;
  trace->tool->write_trace(&trace->tool_trace, stream);
  return written(stream);
}

const char *floe_trace_unplayable(const floe_trace *trace) {
  return !trace ? "" : trace->tool ? trace->unplayable : "the language of the model has no such tool";
}

floe_status floe_trace_write_trail(const floe_trace *trace, FILE *stream) {
  REQUIRE(NULL, trace);
  REQUIRE(NULL, stream);
  if (*floe_trace_unplayable(trace))
    return FLOE_ERROR_UNSUPPORTED;
  trace->tool->write_trail(&trace->tool_trace, stream);
  return written(stream);
}
