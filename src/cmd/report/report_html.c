/* The HTML report: one file, which needs no other file and no network. A script steps through the traces; without
   scripts the file shows the same data. */
#include "cmd/report/report.h"

#include "cmd/command.h"
#include "cmd/output.h"
#include "cmd/quantity.h"
#include "cmd/report/html.h"
#include "cmd/report/report_html.h"
#include "src/cmd/report/report_css.h"
#include "src/cmd/report/report_js.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- summary --------------------------------------------------------------------------------- */

/* Of the style and the script that the policy of the page admits: the model's digest, which no text of the model can
   contain. */
static const char *nonce_of(const struct report *report) { return digest_digits(report->model); }

static void put_page_head(FILE *out, const struct report *report) {
  const char *nonce = nonce_of(report);
  fprintf(out,
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
          "form-action 'none'; style-src 'nonce-%s'; script-src 'nonce-%s'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          nonce, nonce);
  html_text(out, floe_model_name(report->model));
  fprintf(out, " - floe</title>\n<style nonce=\"%s\">\n", nonce);
  fwrite(report_css, 1, report_css_size, out);
  fputs("</style>\n</head>\n<body>\n<main>\n<h1>", out);
  html_text(out, floe_model_name(report->model));
  fputs("</h1>\n<p class=\"faint\">", out);
  html_text(out, floe_model_file(report->model));
  for (size_t i = 0; report->result && i < floe_model_constants(report->model); i++) {
    floe_constant constant = floe_model_constant(report->model, i);
    fputs(i ? ", " : " with ", out);
    html_text(out, constant.name);
    fprintf(out, " = %" PRId64, constant.value);
  }
  fputs("</p>\n<p>", out);
  html_text(out, floe_model_description(report->model));
  fputs("</p>\n", out);
}

void html_section_title(FILE *out, const struct report *report, const char *title) {
  int heading = report->number ? 3 : 2;
  fprintf(out, "<h%d>%s</h%d>\n", heading, title, heading);
}

static void put_figure(FILE *out, const char *name, uint64_t value) {
  fprintf(out, "<div><dt>%s</dt><dd>", name);
  html_number(out, value);
  fputs("</dd></div>\n", out);
}

static void put_figures_list(FILE *out, const floe_summary *summary) {
  char memory[QUANTITY], end[END_PHRASE_SIZE];
  end_phrase(summary, end, sizeof end);
  fputs("<dl class=\"figures\">\n", out);
  put_figure(out, "states", summary->states);
  put_figure(out, "transitions", summary->transitions);
  put_figure(out, "depth", greatest_depth(summary));
  put_figure(out, "deadlocks", summary->deadlocks);
  if (!summary->complete && summary->any_complete)
    put_figure(out, "complete up to depth", summary->complete_depth);
  fprintf(out, "<div><dt>time</dt><dd>%.3f s</dd></div>\n<div><dt>memory</dt><dd>%s</dd></div>\n",
          summary->total_seconds, byte_text(summary->peak_bytes, memory));
  fputs("</dl>\n<p class=\"faint\">", out);
  html_text(out, end);
  fputs(summary->reduced ? "; numbers are those of the reduced model" : "", out);
  fprintf(out, ". floe %s, ", floe_version());
  html_text(out, summary->engine_detail);
  fputs(".</p>\n", out);
}

/* ---- properties ------------------------------------------------------------------------------ */

/* A further line of a cell. */
static void put_note(FILE *out, const char *lead, const char *text) {
  if (!text[0])
    return;
  fprintf(out, "<br><span class=\"faint\">%s", lead);
  html_text(out, text);
  fputs("</span>", out);
}

static void put_property_row(FILE *out, size_t i, const struct report *report, const floe_verdict *verdict) {
  char text[VERDICT_PHRASE_SIZE];
  verdict_phrase(floe_result_summary(report->result), verdict, text, sizeof text);
  fprintf(out, "<tr><td class=\"%s\">%s", html_verdict_class(verdict), text);
  if (verdict->trace) {
    fputs(" <a href=\"#", out);
    html_trace_id(out, report, i);
    fputs("\">trace</a>", out);
  }
  fputs("</td><td>", out);
  html_text(out, verdict->property.id);
  fprintf(out, "</td><td>%s</td><td>", floe_property_kind_name(verdict->property.kind));
  fputs("<code>", out);
  html_text(out, verdict->property.text[0] ? verdict->property.text : verdict->cause);
  fputs("</code>", out);
  put_note(out, "", verdict->property.description);
  put_note(out, "fairness: ", verdict->fairness);
  put_note(out, "it holds with more fairness: --fair=", verdict->holds_fairness);
  for (size_t k = 0; k < verdict->vacuous_count; k++)
    put_note(out, vacuous_lead(verdict->vacuous[k].part), verdict->vacuous[k].text);
  fputs("</td></tr>\n", out);
}

static void put_properties(FILE *out, const struct report *report) {
  html_section_title(out, report, "Properties");
  fputs("<table "
        "class=\"rows\">\n<thead><tr><th>verdict</th><th>property</th><th>kind</th><th>expression</th></tr></thead>"
        "<tbody>\n",
        out);
  for (size_t i = 0; i < floe_result_verdicts(report->result); i++) {
    floe_verdict verdict = report_verdict(report->result, i);
    put_property_row(out, i, report, &verdict);
  }
  fputs("</tbody></table>\n", out);
}

/* ---- levels ---------------------------------------------------------------------------------- */

static void put_level_chart(FILE *out, const struct report *report) {
  const floe_result *result = report->result;
  uint32_t n = floe_result_summary(result)->levels;
  uint64_t *levels = malloc(((size_t)n + 1) * sizeof *levels);
  if (!levels || n == 0) {
    free(levels);
    return;
  }
  for (uint32_t i = 0; i < n; i++)
    levels[i] = floe_result_level_states(result, i);
  html_section_title(out, report, "States per level");
  fputs(HTML_SCROLL("", "Levels"), out);
  html_chart(out, levels, n);
  fputs("</div>\n", out);
  fputs("<details><summary class=\"faint\">numbers</summary>\n<p class=\"state\">", out);
  for (uint32_t i = 0; i < n; i++) {
    fprintf(out, "<span>%" PRIu32 ": ", i);
    html_number(out, levels[i]);
    fputs("</span>\n", out);
  }
  fputs("</p></details>\n", out);
  free(levels);
}

/* ---- coverage -------------------------------------------------------------------------------- */

static void put_why(FILE *out, const floe_result *result, size_t transition) {
  for (size_t i = 0; i < floe_result_unfired_transitions(result); i++) {
    floe_unfired unfired = floe_result_unfired(result, i);
    if (unfired.transition != transition)
      continue;
    if (unfired.conditions == 0)
      fputs("<br>no condition was evaluated: a select has no values, or the selects have too many", out);
    for (size_t j = 0; j < unfired.conditions; j++) {
      floe_unfired_condition condition = floe_result_unfired_condition(result, i, j);
      fputs("<br><code>", out);
      html_text(out, condition.text);
      fputs("</code>: true in ", out);
      html_number(out, condition.states);
      fputs(" states", out);
    }
  }
}

static void put_transition(FILE *out, const struct report *report, size_t i, bool processes) {
  floe_transition transition = floe_model_transition(report->model, i);
  uint64_t fired = floe_result_fired(report->result, i);
  fprintf(out, "<tr%s><td class=\"number\">", fired ? "" : " class=\"cold\"");
  html_number(out, fired);
  fputs("</td><td class=\"number\">", out);
  html_line(out, report->model, transition.file, transition.line);
  fputs("</td><td>", out);
  if (processes) {
    html_text(out, transition.process);
    fputs("</td><td>", out);
    html_text(out, transition.label);
    fputs("</td><td>", out);
    html_text(out, transition.from);
    fputs(" → ", out);
    html_text(out, transition.to);
  } else {
    html_text(out, transition.label);
  }
  if (!fired)
    put_why(out, report->result, i);
  fputs("</td></tr>\n", out);
}

static void put_coverage(FILE *out, const struct report *report) {
  const bool processes = has_processes(report->model);
  size_t n = floe_model_transitions(report->model), fired = 0;
  for (size_t i = 0; i < n; i++)
    fired += floe_result_fired(report->result, i) > 0;
  html_section_title(out, report, "Coverage");
  fprintf(out,
          "<p>%zu of %zu transitions fired.</p>\n" HTML_SCROLL(
              "", "Coverage") "<table>\n"
                              "<tr><th class=\"number\">firings</th><th class=\"number\">line</th>%s</tr>\n",
          fired, n, processes ? "<th>process</th><th>label</th><th>from → to</th>" : "<th>transition</th>");
  for (size_t i = 0; i < n; i++)
    put_transition(out, report, i, processes);
  fputs("</table></div>\n", out);
}

/* ---- source ---------------------------------------------------------------------------------- */

/* A file of the model. */
struct source_file {
  size_t number;    /* of the included file, from 1; 0: the model's own file */
  const char *name; /* "": the model's own file */
};

/* Sums the firings of the transitions that begin on a line; false: none begins there. */
static bool firings_on_line(const struct report *report, const struct source_file *file, unsigned line,
                            uint64_t *firings) {
  bool any = false;
  *firings = 0;
  const bool any_counts = report->result && !floe_result_summary(report->result)->reduced;
  for (size_t i = 0; any_counts && i < floe_model_transitions(report->model); i++) {
    const floe_transition transition = floe_model_transition(report->model, i);
    if (transition.line != line || strcmp(transition.file, file->name) != 0)
      continue;
    any = true;
    *firings += floe_result_fired(report->result, i);
  }
  return any;
}

/* The id of a line in the page; html_line finds the number of a file. */
static void put_line_id(FILE *out, size_t number, unsigned line) {
  if (number)
    fprintf(out, "file-%zu-", number);
  fprintf(out, "line-%u", line);
}

void html_line(FILE *out, const floe_model *model, const char *file, unsigned line) {
  size_t i = 0;
  if (!line)
    return;
  while (*file && i < floe_model_includes(model) && strcmp(floe_model_included_file(model, i), file) != 0)
    i++;
  fputs("<a href=\"#", out);
  put_line_id(out, *file ? i + 1 : 0, line);
  fputs("\">", out);
  html_text(out, file);
  fprintf(out, "%s%u</a>", *file ? ":" : "", line);
}

static void put_source_line(FILE *out, const struct report *report, const struct source_file *file, unsigned line,
                            const char *text, size_t length) {
  uint64_t firings;
  bool any = firings_on_line(report, file, line, &firings);
  fputs("<tr id=\"", out);
  put_line_id(out, file->number, line);
  fprintf(out, "\"%s><td class=\"number\">%u</td><td class=\"number hits\">",
          any && firings == 0 ? " class=\"cold\"" : "", line);
  if (any)
    html_number(out, firings);
  fputs("</td><td class=\"code\">", out);
  html_put(out, text, length);
  fputs("</td></tr>\n", out);
}

static void put_source_file(FILE *out, const struct report *report, const struct source_file *file) {
  size_t length;
  const char *text = file->number ? floe_model_included_text(report->model, file->number - 1, &length)
                                  : floe_model_text(report->model, &length);
  fputs(HTML_SCROLL("", "Model") "<table class=\"source\">\n", out);
  unsigned line = 1;
  for (size_t at = 0; at < length; line++) {
    const char *end = memchr(text + at, '\n', length - at);
    size_t n = end ? (size_t)(end - (text + at)) : length - at;
    size_t shown = n > 0 && text[at + n - 1] == '\r' ? n - 1 : n;
    put_source_line(out, report, file, line, text + at, shown);
    at += n + 1;
  }
  fputs("</table></div>\n", out);
}

static void put_source(FILE *out, const struct report *report) {
  fputs("<h2>Model</h2>\n", out);
  if (report->result)
    fputs("<p class=\"faint\">The second column counts the firings of the transitions that begin on the line.</p>\n",
          out);
  put_source_file(out, report, &(struct source_file){0, ""});
  for (size_t i = 0; i < floe_model_includes(report->model); i++) {
    const struct source_file file = {i + 1, floe_model_included_file(report->model, i)};
    fputs("<h3>", out);
    html_text(out, file.name);
    fputs("</h3>\n", out);
    put_source_file(out, report, &file);
  }
}

/* ---- the page -------------------------------------------------------------------------------- */

void html_begin(FILE *out, const struct report *report) { put_page_head(out, report); }

void html_exploration(FILE *out, const struct report *report) {
  put_figures_list(out, floe_result_summary(report->result));
  put_properties(out, report);
  put_level_chart(out, report);
  html_traces(out, report);
  if (!floe_result_summary(report->result)->reduced)
    put_coverage(out, report);
}

void html_end(FILE *out, const struct report *report) {
  put_source(out, report);
  fprintf(out, "</main>\n<script type=\"module\" nonce=\"%s\">\n", nonce_of(report));
  fwrite(report_js, 1, report_js_size, out);
  fputs("</script>\n</body>\n</html>\n", out);
}

static bool put_report(FILE *out, const void *data) {
  const struct report *report = data;
  html_begin(out, report);
  html_exploration(out, report);
  html_end(out, report);
  return !ferror(out);
}

bool write_report(const struct report *report) { return write_file(report->options->report, put_report, report); }
