/* --format and --spin-trail: results, traces and trails in the form of another tool for the model's language. */
#include "cmd/console/message.h"
#include "cmd/output.h"
#include "cmd/report/report.h"

#include <string.h>

static const char tool[] = "spin";

bool is_tool_form(const struct options *options) { return options->format && strcmp(options->format, tool) == 0; }

bool check_tool(const struct options *options, const floe_model *model) {
  if ((!is_tool_form(options) && !options->spin_trail) || strcmp(floe_model_tool(model), tool) == 0)
    return true;
  print_error("it is for models in Promela", "%s cannot be used with %s: its language is not that of Spin",
              is_tool_form(options) ? "--format=spin" : "--spin-trail", printable(floe_model_file(model)));
  return false;
}

static bool put_tool_form(FILE *out, const void *data) {
  const struct report *report = data;
  bool sound = floe_result_write_tool(report->result, report->model, out) == FLOE_OK;
  for (size_t i = 0; i < floe_result_verdicts(report->result) && !report->options->quiet; i++) {
    const floe_verdict verdict = report_verdict(report->result, i);
    if (!verdict.trace)
      continue;
    fputs("\ntrace of ", out);
    put_printable(out, verdict.property.id);
    fputs(":\n", out);
    sound = sound && floe_trace_write_tool(verdict.trace, out) == FLOE_OK;
  }
  return sound && !ferror(out);
}

bool write_tool_form(const struct report *report) { return write_file(report->options->output, put_tool_form, report); }

static bool put_trail(FILE *out, const void *data) {
  const floe_verdict *verdict = data;
  return floe_trace_write_trail(verdict->trace, out) == FLOE_OK;
}

bool write_trail(const struct report *report) {
  const char *file = report->options->spin_trail;
  const floe_verdict verdict = report_verdict(report->result, 0);
  if (floe_result_verdicts(report->result) == 0 || !is_violation(&verdict)) {
    fflush(stdout);
    fprintf(stderr, "floe: note: %s not written: no property is violated\n", printable(file));
    return true;
  }
  if (!verdict.trace) {
    print_error("raise --trace-timeout", "%s not written: '%s' has no trace", file, verdict.property.id);
    return false;
  }
  if (*floe_trace_unplayable(verdict.trace)) {
    print_error("use --trace and floe replay", "%s not written: Spin would not play it, because of %s", file,
                floe_trace_unplayable(verdict.trace));
    return false;
  }
  return write_file(file, put_trail, &verdict);
}
