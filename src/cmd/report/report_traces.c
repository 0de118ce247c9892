/* Traces in the HTML report. */
#include "cmd/report/report_html.h"

#include "cmd/report/html.h"

#include <stdlib.h>
#include <string.h>

const char *html_verdict_class(const floe_verdict *verdict) {
  return verdict->value == FLOE_UNDECIDED ? "open" : verdict->satisfied ? "good" : "bad";
}

/* ---- states ---------------------------------------------------------------------------------- */

static void put_value_cell(FILE *out, const floe_change *value) {
  fputs("<span><code>", out);
  html_text(out, value->name);
  fputs(" = ", out);
  html_text(out, value->after);
  fputs("</code></span>\n", out);
}

static void put_state_cells(FILE *out, const floe_change *values, size_t count) {
  fputs("<div class=\"state\">\n", out);
  for (size_t i = 0; i < count; i++)
    put_value_cell(out, &values[i]);
  fputs("</div>\n", out);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void put_change(FILE *out, const floe_change *change) {
  fputs("<span class=\"change\">", out);
  html_text(out, change->name);
  fputs(": ", out);
  html_text(out, change->before);
  fputs(" → <b>", out);
  html_text(out, change->after);
  fputs("</b></span>\n", out);
}

static void put_printed(FILE *out, const char *text) {
  if (!*text)
    return;
  fputs("<span class=\"prints\">prints <code>", out);
  html_text(out, text);
  fputs("</code></span>\n", out);
}

/* A trace with the number of its verdict (report_verdict). */
struct numbered_trace {
  const floe_trace *trace;
  size_t number;
};

/* The attributes of a step's row: the first step that repeats has an id, for the link of put_loop_row. */
static void put_step_attributes(FILE *out, const struct report *report, const struct numbered_trace *numbered,
                                size_t i) {
  const size_t loop = floe_trace_loop(numbered->trace);
  fprintf(out, " data-step=\"%zu\"", i + 1);
  if (i >= loop)
    fputs(" class=\"repeated\"", out);
  if (i == loop) {
    fputs(" id=\"", out);
    html_trace_id(out, report, numbered->number);
    fputs("-loop\"", out);
  }
}

static void put_step_row(FILE *out, const struct report *report, const struct numbered_trace *numbered, size_t i,
                         const floe_change *state) {
  const floe_trace *trace = numbered->trace;
  floe_step step = floe_trace_step(trace, i);
  fputs("<tr", out);
  put_step_attributes(out, report, numbered, i);
  fputs("><td class=\"number\">", out);
  if (!step.cause[0]) /* the number is the depth of the state after the step */
    fprintf(out, "%zu", i + 1);
  fputs("</td><td>", out);
  html_text(out, step.action);
  fputs("</td><td class=\"number\">", out);
  html_line(out, report->model, step.file, step.line);
  fputs("</td><td class=\"code\">", out);
  for (size_t j = 0; j < step.changes; j++) {
    floe_change change = floe_trace_change(trace, i, j);
    put_change(out, &change);
  }
  put_printed(out, floe_trace_printed(trace, i));
  if (!step.changes)
    fputs(step.cause[0] ? "<span class=\"bad\">fails</span>" : "<span class=\"faint\">none</span>", out);
  if (state)
    put_state_cells(out, state, floe_trace_variables(trace));
  fputs("</td></tr>\n", out);
}

/* The last row: where a run that violates a temporal property continues after its last state. The link leads to the
   first step that repeats. */
static void put_loop_row(FILE *out, const struct report *report, const struct numbered_trace *numbered) {
  const size_t loop = floe_trace_loop(numbered->trace);
  if (loop == FLOE_NO_LOOP)
    return;
  fputs("<tfoot><tr class=\"repeated\"><td class=\"number\">↻</td><td colspan=\"3\">", out);
  if (loop == floe_trace_steps(numbered->trace)) {
    fprintf(out, "No transition is enabled: the run stays in state %zu", loop);
  } else {
    fputs("<a href=\"#", out);
    html_trace_id(out, report, numbered->number);
    fprintf(out, "-loop\" data-state=\"%zu\">From here the run repeats from state %zu</a>", loop, loop);
  }
  fputs("</td></tr></tfoot>\n", out);
}

/* `values`: on entry the state before the first step, on return the last state. */
static void put_steps(FILE *out, const struct report *report, const struct numbered_trace *numbered,
                      floe_change *values) {
  const floe_trace *trace = numbered->trace;
  fputs(HTML_SCROLL("steps", "Steps") "<table class=\"rows\">\n<thead><tr><th class=\"number\">step</th><th>action</th>"
                                      "<th class=\"number\">line</th><th>changes</th></tr></thead><tbody>\n",
        out);
  for (size_t i = 0; i < floe_trace_steps(trace); i++) {
    trace_apply_step(trace, i, values);
    put_step_row(out, report, numbered, i, report->options->full_states ? values : NULL);
  }
  fputs("</tbody>", out);
  put_loop_row(out, report, numbered);
  fputs("</table></div>\n", out);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void put_parts(FILE *out, const floe_trace *trace) {
  if (floe_trace_subexpressions(trace) == 0)
    return;
  fputs("<p class=\"faint\">Parts of the property in the last state:</p>\n<div class=\"state\">\n", out);
  for (size_t i = 0; i < floe_trace_subexpressions(trace); i++) {
    floe_change part = {0};
    floe_trace_subexpression(trace, i, &part.name, &part.after);
    put_value_cell(out, &part);
  }
  fputs("</div>\n", out);
}

static void put_obstacle_cell(FILE *out, const floe_obstacle *obstacle) {
  bool guard = obstacle->kind == FLOE_OBSTACLE_GUARD;
  fputs(guard ? "<div><code>" : "<div>", out);
  html_text(out, obstacle->text);
  fputs(guard ? "</code> is false" : "", out);
  for (size_t i = 0; i < obstacle->values; i++) {
    fputs(", <code>", out);
    html_text(out, obstacle->value_list[i].name);
    fputs("</code> is ", out);
    html_text(out, obstacle->value_list[i].after);
  }
  fputs("</div>", out);
}

static void put_blocked_row(FILE *out, const struct report *report, const floe_blocked_transition *wait,
                            bool instances) {
  fputs("<tr><td>", out);
  if (instances) {
    html_text(out, wait->process);
    fputs("</td><td>", out);
    html_text(out, wait->location);
    fputs("</td><td>", out);
  }
  if (!is_transition(wait)) {
    fputs("</td><td></td><td class=\"faint\">no transition leaves this location</td></tr>\n", out);
    return;
  }
  html_text(out, wait->label[0] ? wait->label : wait->to);
  for (size_t i = 0; i < wait->selects; i++) {
    fputs(i ? ", " : " {", out);
    html_text(out, wait->select_list[i].name);
    fputs("=", out);
    html_text(out, wait->select_list[i].text);
    fputs(i + 1 < wait->selects ? "" : "}", out);
  }
  fputs("</td><td class=\"number\">", out);
  html_line(out, report->model, wait->file, wait->line);
  fputs("</td><td>", out);
  for (size_t i = 0; i < wait->obstacles; i++)
    put_obstacle_cell(out, &wait->obstacle_list[i]);
  fputs("</td></tr>\n", out);
}

static void put_blocked_table(FILE *out, const struct report *report, const floe_trace *trace) {
  if (floe_trace_blocked_transitions(trace) == 0)
    return;
  const bool instances = has_processes(report->model);
  fprintf(out,
          "<p class=\"faint\">Blocked transitions%s:</p>\n" HTML_SCROLL("", "Blocked transitions") "<table>\n<tr>%s",
          instances ? " of every instance" : "",
          instances ? "<th>instance</th><th>at</th><th>waits for</th>" : "<th>transition</th>");
  fputs("<th class=\"number\">line</th><th>blocked by</th></tr>\n", out);
  for (size_t i = 0; i < floe_trace_blocked_transitions(trace); i++) {
    floe_blocked_transition wait = floe_trace_blocked_transition(trace, i);
    put_blocked_row(out, report, &wait, instances);
  }
  fputs("</table></div>\n", out);
}

/* ---- the section ----------------------------------------------------------------------------- */

/* The steps for the script, as in trace files. */
static void put_data(FILE *out, const floe_trace *trace, const floe_change *first, size_t count) {
  char *text = NULL;
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  if (!stream)
    return;
  fputs("{\"initial\": ", stream);
  floe_values_write_json(first, count, stream);
  fputs(", \"steps\": [", stream);
  for (size_t i = 0; i < floe_trace_steps(trace); i++) {
    const floe_step step = floe_trace_step(trace, i);
    fputs(i ? ",\n" : "", stream);
    floe_step_write_json(&step, stream);
  }
  fputs("]", stream);
  if (floe_trace_loop(trace) != FLOE_NO_LOOP)
    fprintf(stream, ", \"loop\": %zu", floe_trace_loop(trace));
  fputs("}", stream);
  if (fclose(stream) == 0) {
    fputs("<script type=\"application/json\">", out);
    html_json(out, text, length);
    fputs("</script>\n", out);
  }
  free(text);
}

/* The first state; with the script, the state after the selected step. */
static void put_stepper(FILE *out, const floe_change *first, size_t count) {
  fputs(HTML_SCROLL("stepper",
                    "State") "\n<p><output>First state</output>:\n<span class=\"controls\" hidden>"
                             "<button type=\"button\" value=\"ArrowLeft\" aria-label=\"step back\">◀</button>\n"
                             "<button type=\"button\" value=\"ArrowRight\" aria-label=\"step on\">▶</button>\n"
                             "<span class=\"faint\">(keys: ← → or k j, Home, End)</span></span></p>\n",
        out);
  put_state_cells(out, first, count);
  fputs("</div>\n", out);
}

static void put_heading(FILE *out, size_t i, const struct report *report, const floe_verdict *verdict) {
  char text[VERDICT_PHRASE_SIZE];
  const int heading = report->number ? 4 : 3;
  verdict_phrase(floe_result_summary(report->result), verdict, text, sizeof text);
  fprintf(out, "<h%d id=\"", heading);
  html_trace_id(out, report, i);
  fputs("\">", out);
  html_text(out, verdict->property.id);
  fprintf(out, ": <span class=\"%s\">%s</span></h%d>\n", html_verdict_class(verdict), text, heading);
}

static void put_trace_section(FILE *out, size_t i, const struct report *report, const floe_verdict *verdict) {
  const floe_trace *trace = verdict->trace;
  size_t count = floe_trace_variables(trace);
  floe_change *values = calloc(count + 1, sizeof *values);
  fputs("<section class=\"trace\">\n", out);
  put_heading(out, i, report, verdict);
  if (!values) {
    fputs("<p>Trace omitted: out of memory.</p>\n</section>\n", out);
    return;
  }
  trace_first_state(trace, values);
  put_stepper(out, values, count);
  if (floe_trace_steps(trace)) {
    put_data(out, trace, values, count);
    fputs("<div class=\"beside\">\n", out);
    if (has_processes(report->model))
      fputs("<div class=\"scroll sequence\" tabindex=\"0\" role=\"group\" "
            "aria-label=\"Sequence chart\" hidden><div class=\"chart\"></div></div>\n",
            out);
    put_steps(out, report, &(struct numbered_trace){trace, i}, values);
    fputs("</div>\n<p class=\"faint\">Last state:</p>\n", out);
    put_state_cells(out, values, count);
  }
  free(values);
  put_parts(out, trace);
  put_blocked_table(out, report, trace);
  fputs("</section>\n", out);
}

void html_trace_id(FILE *out, const struct report *report, size_t i) {
  if (report->number)
    fprintf(out, "case-%zu-", report->number);
  fprintf(out, "trace-%zu", i + 1);
}

void html_traces(FILE *out, const struct report *report) {
  bool any = false;
  for (size_t i = 0; i < floe_result_verdicts(report->result); i++) {
    floe_verdict verdict = report_verdict(report->result, i);
    if (!verdict.trace)
      continue;
    if (!any)
      html_section_title(out, report, "Traces");
    if (!any)
      fprintf(out, "<p class=\"faint\">Paths from the initial state, violations first.%s</p>\n",
              floe_result_summary(report->result)->reduced ? "" : " Those of states are shortest.");
    any = true;
    put_trace_section(out, i, report, &verdict);
  }
}
