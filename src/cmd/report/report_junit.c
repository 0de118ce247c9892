/* The verdicts as JUnit XML: a test case per property, as CI systems read them. */
#include "cmd/report/report.h"

#include "cmd/output.h"
#include "cmd/report/html.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_attribute(FILE *out, const char *name, const char *value) {
  fprintf(out, " %s=\"", name);
  html_text(out, value);
  fputc('"', out);
}

static void put_property(FILE *out, const char *name, const char *value) {
  fputs("    <property", out);
  put_attribute(out, "name", name);
  put_attribute(out, "value", value);
  fputs("/>\n", out);
}

static void put_number(FILE *out, const char *name, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%" PRId64, value);
  put_property(out, name, text);
}

static void put_run(FILE *out, const struct report *report) {
  const floe_summary *summary = floe_result_summary(report->result);
  char end[END_PHRASE_SIZE];
  end_phrase(summary, end, sizeof end);
  fputs("   <properties>\n", out);
  put_property(out, "version", floe_version());
  for (size_t i = 0; i < floe_model_constants(report->model); i++) {
    const floe_constant constant = floe_model_constant(report->model, i);
    fputs("    <property name=\"constant ", out);
    html_text(out, constant.name);
    fprintf(out, "\" value=\"%" PRId64 "\"/>\n", constant.value);
  }
  put_property(out, "end", end);
  put_number(out, "states", (int64_t)summary->states);
  put_number(out, "transitions", (int64_t)summary->transitions);
  put_number(out, "levels", summary->levels);
  put_number(out, "deadlocks", (int64_t)summary->deadlocks);
  put_property(out, "engine", summary->engine);
  put_number(out, "peak_bytes", (int64_t)summary->peak_bytes);
  fputs("   </properties>\n", out);
}

/* The trace as the text output has it. False: out of memory. */
static bool put_trace(FILE *out, const struct report *report, const floe_verdict *verdict) {
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (!stream)
    return false;
  fputc('\n', stream);
  report_trace(stream, verdict, floe_model_file(report->model), report->options->full_states);
  const bool written = fclose(stream) == 0;
  if (written)
    html_put(out, text, length);
  free(text);
  return written;
}

/* The child element `tag` of a test case. */
static bool put_outcome(FILE *out, const struct report *report, const floe_verdict *verdict, const char *tag) {
  const floe_summary *summary = floe_result_summary(report->result);
  char phrase[VERDICT_PHRASE_SIZE], end[END_PHRASE_SIZE];
  verdict_phrase(summary, verdict, phrase, sizeof phrase);
  end_phrase(summary, end, sizeof end);
  fprintf(out, "    <%s", tag);
  put_attribute(out, "message", phrase);
  put_attribute(out, "type", floe_property_kind_name(verdict->property.kind));
  fputc('>', out);
  html_text(out, verdict->value == FLOE_UNDECIDED ? end : verdict->property.text);
  html_text(out, verdict->cause);
  const bool sound = !verdict->trace || put_trace(out, report, verdict);
  fprintf(out, "</%s>\n", tag);
  return sound;
}

static bool put_witness(FILE *out, const struct report *report, const floe_verdict *verdict) {
  fputs("    <system-out>", out);
  const bool sound = put_trace(out, report, verdict);
  fputs("</system-out>\n", out);
  return sound;
}

static bool put_case(FILE *out, const struct report *report, const floe_verdict *verdict) {
  bool sound = true;
  fputs("   <testcase", out);
  put_attribute(out, "name", verdict->property.id);
  put_attribute(out, "classname", floe_model_name(report->model));
  put_attribute(out, "file", *verdict->property.file ? verdict->property.file : floe_model_file(report->model));
  if (verdict->property.line)
    fprintf(out, " line=\"%u\"", verdict->property.line);
  fputs(">\n", out);
  if (verdict->value == FLOE_UNDECIDED)
    sound = put_outcome(out, report, verdict, "error");
  else if (is_violation(verdict))
    sound = put_outcome(out, report, verdict, "failure");
  else if (verdict->trace)
    sound = put_witness(out, report, verdict);
  fputs("   </testcase>\n", out);
  return sound;
}

/* The counts that both enclosing elements have. One search decides all properties, so that test cases have no time. */
static void put_counts(FILE *out, const floe_result *result) {
  size_t failures = 0, errors = 0;
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    const floe_verdict verdict = floe_result_verdict(result, i);
    errors += verdict.value == FLOE_UNDECIDED;
    failures += is_violation(&verdict);
  }
  fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"%.3f\">\n",
          floe_result_verdicts(result), failures, errors, floe_result_summary(result)->total_seconds);
}

static bool put_junit(FILE *out, const void *data) {
  const struct report *report = data;
  bool sound = true;
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"floe\"", out);
  put_counts(out, report->result);
  fputs("  <testsuite", out);
  put_attribute(out, "name", floe_model_name(report->model));
  put_counts(out, report->result);
  put_run(out, report);
  for (size_t i = 0; i < floe_result_verdicts(report->result); i++) {
    const floe_verdict verdict = floe_result_verdict(report->result, i);
    sound = put_case(out, report, &verdict) && sound;
  }
  fputs("  </testsuite>\n</testsuites>\n", out);
  return sound && !ferror(out);
}

bool write_junit(const struct report *report) { return write_file(report->options->output, put_junit, report); }
