/* One report of several explorations: those of --expect and --sweep. */
#include "cmd/report/report_html.h"

#include "cmd/command.h"
#include "cmd/message.h"
#include "cmd/output.h"
#include "cmd/report/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void cases_begin(struct cases *cases, const struct options *options, const floe_model *model) {
  *cases = (struct cases){.options = options, .model = model};
  if (!options->report)
    return;
  cases->rows = open_memstream(&cases->row_text, &cases->row_size);
  cases->sections = open_memstream(&cases->section_text, &cases->section_size);
}

/* ---- a case ---------------------------------------------------------------------------------- */

static void put_constants(FILE *out, json_t *constants) {
  const char *name, *between = "";
  json_t *value;
  json_object_foreach(constants, name, value) {
    fputs(between, out);
    html_text(out, name);
    fprintf(out, " = %" JSON_INTEGER_FORMAT, json_integer_value(value));
    between = ", ";
  }
  if (!*between)
    fputs("no constants", out);
}

static const char *outcome_class(const char *outcome) {
  const bool good = strcmp(outcome, "ok") == 0 || strcmp(outcome, "as wanted") == 0;
  const bool open = strcmp(outcome, "undecided") == 0 || strcmp(outcome, "skipped") == 0;
  return good ? "good" : open ? "open" : "bad";
}

static void put_figures(FILE *out, const floe_summary *summary) {
  fputs("<td class=\"number\">", out);
  html_number(out, summary->states);
  fputs("</td><td class=\"number\">", out);
  html_number(out, summary->transitions);
  fprintf(out, "</td><td class=\"number\">%" PRIu32 "</td><td class=\"number\">%.3f</td>", summary->levels,
          summary->total_seconds);
}

/* What was found of each property that is not as wanted. */
static void put_verdicts(FILE *out, const floe_result *result) {
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    floe_verdict verdict = report_verdict(result, i);
    char text[VERDICT_WORDS];
    if (verdict.wanted)
      continue;
    verdict_words(floe_result_summary(result), &verdict, text, sizeof text);
    fputs("<div>", out);
    html_text(out, verdict.property.id);
    fprintf(out, ": <span class=\"%s\">%s</span></div>", html_verdict_class(&verdict), text);
  }
}

static void put_row(const struct cases *cases, json_t *constants, const struct tried *tried) {
  FILE *out = cases->rows;
  fputs("<tr><td>", out);
  if (tried->result)
    fprintf(out, "<a href=\"#case-%zu\">", cases->count);
  put_constants(out, constants);
  fprintf(out, "%s</td><td class=\"%s\">%s</td>", tried->result ? "</a>" : "", outcome_class(tried->outcome),
          tried->outcome);
  if (tried->result)
    put_figures(out, floe_result_summary(tried->result));
  else
    fputs("<td></td><td></td><td></td><td></td>", out);
  fputs("<td>", out);
  if (tried->result)
    put_verdicts(out, tried->result);
  html_text(out, tried->note);
  fputs("</td></tr>\n", out);
}

static void put_section(const struct cases *cases, json_t *constants, const struct tried *tried) {
  FILE *out = cases->sections;
  const struct report report = {command_check.name, cases->options, cases->model, tried->result, cases->count};
  fprintf(out, "<details class=\"case\" id=\"case-%zu\"><summary>", cases->count);
  put_constants(out, constants);
  fprintf(out, ": <span class=\"%s\">%s</span></summary>\n", outcome_class(tried->outcome), tried->outcome);
  html_exploration(out, &report);
  fputs("</details>\n", out);
}

void cases_add(struct cases *cases, json_t *constants, const struct tried *tried) {
  if (!cases->rows || !cases->sections)
    return;
  cases->count++;
  put_row(cases, constants, tried);
  if (tried->result)
    put_section(cases, constants, tried);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool put_cases(FILE *out, const void *data) {
  const struct cases *cases = data;
  const struct report report = {command_check.name, cases->options, cases->model, NULL, 1};
  html_begin(out, &report);
  fprintf(out,
          "<h2>Cases</h2>\n<div class=\"wide\"><table>\n<tr><th>constants</th><th>outcome</th>"
          "<th class=\"number\">states</th><th class=\"number\">transitions</th><th class=\"number\">levels</th>"
          "<th class=\"number\">seconds</th><th>not as wanted</th></tr>\n%s</table></div>\n",
          cases->row_text);
  fputs(cases->section_text, out);
  html_end(out, &report);
  return !ferror(out);
}

/* A stream that lost something has no text to be shown. */
static bool close_all(struct cases *cases) {
  bool whole = cases->rows && cases->sections;
  if (cases->rows && fclose(cases->rows) != 0)
    whole = false;
  if (cases->sections && fclose(cases->sections) != 0)
    whole = false;
  return whole;
}

bool cases_end(struct cases *cases, bool wanted) {
  if (!cases->options->report)
    return true;
  bool written = close_all(cases);
  if (!written)
    complain(NULL, "out of memory for the report");
  else if (wanted)
    written = write_file(cases->options->report, put_cases, cases);
  free(cases->row_text);
  free(cases->section_text);
  return written;
}
