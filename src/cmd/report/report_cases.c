/* One HTML report of several explorations: those of --expect and --sweep. */
#include "cmd/report/report_html.h"

#include "cmd/command.h"
#include "cmd/console/message.h"
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

static void put_case_constants(FILE *out, json_t *constants) {
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

static bool is_satisfied(const char *outcome) { return strcmp(outcome, "as wanted") == 0; }

static const char *outcome_label(const char *outcome) { return is_satisfied(outcome) ? "satisfied" : outcome; }

static const char *outcome_class(const char *outcome) {
  const bool good = strcmp(outcome, "ok") == 0 || is_satisfied(outcome);
  const bool open = strcmp(outcome, "undecided") == 0 || strcmp(outcome, "skipped") == 0;
  return good ? "good" : open ? "open" : "bad";
}

static void put_case_figures(FILE *out, const floe_summary *summary) {
  fputs("<td class=\"number\">", out);
  html_number(out, summary->states);
  fputs("</td><td class=\"number\">", out);
  html_number(out, summary->transitions);
  fprintf(out, "</td><td class=\"number\">%" PRIu32 "</td><td class=\"number\">%.3f</td>", greatest_depth(summary),
          summary->total_seconds);
}

/* The verdicts of all properties that are violated or undecided. */
static void put_case_verdicts(FILE *out, const floe_result *result) {
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    floe_verdict verdict = report_verdict(result, i);
    char text[VERDICT_PHRASE_SIZE];
    if (verdict.satisfied)
      continue;
    verdict_phrase(floe_result_summary(result), &verdict, text, sizeof text);
    fputs("<div>", out);
    html_text(out, verdict.property.id);
    fprintf(out, ": <span class=\"%s\">%s</span></div>", html_verdict_class(&verdict), text);
  }
}

static void put_case_row(const struct cases *cases, json_t *constants, const struct case_result *entry) {
  FILE *out = cases->rows;
  fputs("<tr><td>", out);
  if (entry->result)
    fprintf(out, "<a href=\"#case-%zu\">", cases->count);
  put_case_constants(out, constants);
  fprintf(out, "%s</td><td class=\"%s\">%s</td>", entry->result ? "</a>" : "", outcome_class(entry->outcome),
          outcome_label(entry->outcome));
  if (entry->result)
    put_case_figures(out, floe_result_summary(entry->result));
  else
    fputs("<td></td><td></td><td></td><td></td>", out);
  fputs("<td>", out);
  if (entry->result)
    put_case_verdicts(out, entry->result);
  html_text(out, entry->note);
  fputs("</td></tr>\n", out);
}

static void put_case_section(const struct cases *cases, json_t *constants, const struct case_result *entry) {
  FILE *out = cases->sections;
  const struct report report = {command_check.name, cases->options, cases->model, entry->result, cases->count};
  fprintf(out, "<details class=\"case\" id=\"case-%zu\"><summary>", cases->count);
  put_case_constants(out, constants);
  fprintf(out, ": <span class=\"%s\">%s</span></summary>\n", outcome_class(entry->outcome),
          outcome_label(entry->outcome));
  html_exploration(out, &report);
  fputs("</details>\n", out);
}

void cases_add(struct cases *cases, json_t *constants, const struct case_result *entry) {
  if (!cases->rows || !cases->sections)
    return;
  cases->count++;
  put_case_row(cases, constants, entry);
  if (entry->result)
    put_case_section(cases, constants, entry);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool put_cases(FILE *out, const void *data) {
  const struct cases *cases = data;
  const struct report report = {command_check.name, cases->options, cases->model, NULL, 1};
  html_begin(out, &report);
  fprintf(out,
          "<h2>Cases</h2>\n" HTML_SCROLL(
              "", "Cases") "<table>\n<tr><th>constants</th><th>outcome</th>"
                           "<th class=\"number\">states</th><th class=\"number\">transitions</th><th "
                           "class=\"number\">depth</th>"
                           "<th class=\"number\">seconds</th><th>violated or undecided</th></tr>\n%s</table></div>\n",
          cases->row_text);
  fputs(cases->section_text, out);
  html_end(out, &report);
  return !ferror(out);
}

/* False if a stream ran out of memory: its text is incomplete. */
static bool close_all(struct cases *cases) {
  bool whole = cases->rows && cases->sections;
  if (cases->rows && fclose(cases->rows) != 0)
    whole = false;
  if (cases->sections && fclose(cases->sections) != 0)
    whole = false;
  return whole;
}

bool cases_end(struct cases *cases, bool write) {
  if (!cases->options->report)
    return true;
  bool written = close_all(cases);
  if (!written)
    print_error(NULL, "report not written: out of memory");
  else if (write)
    written = write_file(cases->options->report, put_cases, cases);
  free(cases->row_text);
  free(cases->section_text);
  return written;
}
