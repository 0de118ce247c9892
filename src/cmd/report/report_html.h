/* The HTML report (--report). */
#ifndef FLOE_CMD_REPORT_REPORT_HTML_H
#define FLOE_CMD_REPORT_REPORT_HTML_H

#include "cmd/report/report.h"

/* The CSS class of a verdict. */
const char *html_verdict_class(const floe_verdict *verdict);
/* The heading of a section; smaller if the report has several explorations. */
void html_section_title(FILE *out, const struct report *report, const char *title);
/* The section of all traces. html_trace_id writes the id of the trace of the i-th verdict (report_verdict). */
void html_traces(FILE *out, const struct report *report);
/* The number of a line, as a link to it in the section of the sources. `file`: "" or an included file. */
void html_line(FILE *out, const floe_model *model, const char *file, unsigned line);
void html_trace_id(FILE *out, const struct report *report, size_t i);

/* The parts of a page: the head (with the constants, if there is one result); the results of one exploration; the
   model's text (with firings, if there is one result) and the end. */
void html_begin(FILE *out, const struct report *report);
void html_exploration(FILE *out, const struct report *report);
void html_end(FILE *out, const struct report *report);

/* A page of several explorations. Does nothing without --report. */
struct cases {
  const struct options *options;
  const floe_model *model;
  FILE *rows, *sections; /* NULL: out of memory */
  char *row_text, *section_text;
  size_t row_size, section_size, count;
};
struct case_result {
  const char *outcome;       /* one word */
  const char *note;          /* further text, or "" */
  const floe_result *result; /* NULL: not explored */
};
void cases_begin(struct cases *cases, const struct options *options, const floe_model *model);
/* Call while the model still has the constants of the case. */
void cases_add(struct cases *cases, json_t *constants, const struct case_result *result);
/* Writes the file if `write`, and frees everything. False after a message. */
bool cases_end(struct cases *cases, bool write);

/* Writes the file of --report. False after a message. */
bool write_report(const struct report *report);

#endif
