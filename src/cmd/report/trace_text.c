#include "cmd/report/report.h"

#include "cmd/console/message.h"

#include <stdlib.h>
#include <string.h>

#define LINE 100 /* characters per line of a state */
#define INDENT 8

/* Prints value i of `count` from `column` on; returns the column after it. */
static size_t print_value(FILE *out, const floe_change *value, size_t i, size_t count, size_t column) {
  size_t width = strlen(value->name) + strlen(value->after) + strlen(" =,");
  if (i > 0 && column + width + 1 > LINE)
    column = (size_t)fprintf(out, "\n%*s", INDENT, "") - 1;
  return column + (size_t)fprintf(out, " %s=%s%s", value->name, value->after, i + 1 < count ? "," : "");
}

/* Breaks lines between variables. */
void report_state(FILE *out, const char *lead, const floe_change *values, size_t count) {
  size_t column = (size_t)fprintf(out, "  %s:", lead);
  for (size_t i = 0; i < count; i++)
    column = print_value(out, &values[i], i, count, column);
  fputc('\n', out);
}

void report_place(FILE *out, const char *file, const char *model_file, unsigned line) {
  if (line)
    fprintf(out, " (%s:%u)", printable(*file ? file : model_file), line);
}

void report_step(FILE *out, const floe_step *step, size_t number, const char *file) {
  if (step->cause[0])
    fputs("     ", out);
  else
    fprintf(out, "  %zu. ", number);
  put_printable(out, step->action);
  report_place(out, step->file, file, step->line);
  for (size_t i = 0; i < step->changes; i++) {
    const floe_change *change = &step->change_list[i];
    fprintf(out, "%s %s %s -> %s", i ? "," : ":", change->name, change->before, change->after);
  }
  fputs(step->cause[0] ? ": fails\n" : "\n", out);
}

/* The text in quotation marks, on one line, for free(). NULL: out of memory. */
static char *quoted_text(const char *text) {
  char *quoted = malloc(2 * strlen(text) + 3), *end = quoted;
  if (!quoted)
    return NULL;
  *end++ = '"';
  for (; *text; text++) {
    const bool escapes = *text == '\n' || *text == '\t' || *text == '"' || *text == '\\';
    if (escapes)
      *end++ = '\\';
    *end++ = *text == '\n' ? 'n' : *text == '\t' ? 't' : *text;
  }
  *end++ = '"';
  *end = 0;
  return quoted;
}

void report_printed(FILE *out, const char *text) {
  char *quoted = *text ? quoted_text(text) : NULL;
  if (!quoted)
    return;
  fputs("     prints ", out);
  put_printable(out, quoted);
  fputc('\n', out);
  free(quoted);
}

/* The property, and the values of its parts in the last state. */
static void print_claim(FILE *out, const floe_verdict *verdict) {
  const floe_property *property = &verdict->property;
  char text[64];
  verdict_text(verdict->value, verdict_level(verdict), text, sizeof text);
  fprintf(out, "  %s %s", property->id, text);
  if (property->text[0]) {
    fprintf(out, ": %s%s ", floe_property_kind_name(property->kind), property->kind == FLOE_DEADLOCK ? " unless" : "");
    put_printable(out, property->text);
  } else if (verdict->cause[0]) {
    fprintf(out, ": %s", printable(verdict->cause));
  }
  fputc('\n', out);
  for (size_t i = 0; i < floe_trace_subexpressions(verdict->trace); i++) {
    const char *part, *value;
    floe_trace_subexpression(verdict->trace, i, &part, &value);
    fputs("     ", out);
    put_printable(out, part);
    fprintf(out, " is %s\n", printable(value));
  }
}

/* How the run satisfies the constraints of fairness of the property, and to which other instances it is unfair. */
static void print_constraints(FILE *out, const floe_trace *trace) {
  for (size_t i = 0; i < floe_trace_constraints(trace); i++) {
    const floe_fair fair = floe_trace_constraint(trace, i);
    if (!fair.required && fair.reason == FLOE_FAIR_VIOLATED)
      fprintf(out, "  unfair to %s, which is enabled in all repeated states and takes no step\n", printable(fair.name));
    if (!fair.required)
      continue;
    fprintf(out, "  fair to %s: ", printable(fair.name));
    if (fair.reason == FLOE_FAIR_TAKEN)
      fprintf(out, "step %zu is repeated\n", fair.at + 1);
    else if (fair.reason == FLOE_FAIR_DISABLED)
      fprintf(out, "not enabled in state %zu, which is repeated\n", fair.at);
    else
      fputs("enabled in no repeated state\n", out);
  }
}

void report_trace(FILE *out, const floe_verdict *verdict, const char *file, bool full_states) {
  const floe_trace *trace = verdict->trace;
  size_t count = floe_trace_variables(trace), steps = floe_trace_steps(trace);
  floe_change *values = calloc(count + 1, sizeof *values);
  if (!values) {
    print_error(NULL, "trace of '%s' not printed: out of memory", verdict->property.id);
    return;
  }
  fprintf(out, "trace of %s:\n", verdict->property.id);
  trace_first_state(trace, values);
  report_state(out, "start", values, count);
  for (size_t i = 0; i < steps; i++) {
    if (i == floe_trace_loop(trace))
      fputs("  repeated for ever:\n", out);
    floe_step step = floe_trace_step(trace, i);
    report_step(out, &step, i + 1, file);
    report_printed(out, floe_trace_printed(trace, i));
    trace_apply_step(trace, i, values);
    if (full_states && i + 1 < steps && !step.cause[0])
      report_state(out, "state", values, count);
  }
  if (steps)
    report_state(out, floe_trace_loop(trace) < steps ? "last, and before the repeated steps" : "last", values, count);
  if (floe_trace_loop(trace) == steps)
    fputs("  no transition is enabled: the run stays in this state\n", out);
  free(values);
  print_constraints(out, trace);
  print_claim(out, verdict);
  report_blocked(out, trace, file);
}
