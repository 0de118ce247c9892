/* floe check --report. */
#ifndef FLOE_CMD_REPORT_HTML_H
#define FLOE_CMD_REPORT_HTML_H

#include "cmd/report/report.h"

/* How a verdict is marked: a class of the style. */
const char *html_verdict_class(const floe_verdict *verdict);
/* The section of all traces; that of the i-th verdict (report_verdict) has the id
   that html_trace_id writes. */
void html_traces(FILE *out, const struct report *report);
void html_trace_id(FILE *out, const struct report *report, size_t i);

/* The parts of a page: its head and, where there is one result, the constants; what one exploration found; the model's
   text, with firings where there is one result, and the end. */
void html_begin(FILE *out, const struct report *report);
void html_exploration(FILE *out, const struct report *report);
void html_end(FILE *out, const struct report *report);

/* A page of several explorations. Without --report nothing is kept. */
struct cases {
  const struct options *options;
  const floe_model *model;
  FILE *rows, *sections; /* NULL: memory ended */
  char *row_text, *section_text;
  size_t row_size, section_size, count;
};
struct tried {
  const char *outcome;       /* in a word */
  const char *note;          /* what is to be said beside it, or "" */
  const floe_result *result; /* NULL: nothing was explored */
};
void cases_begin(struct cases *cases, const struct options *options, const floe_model *model);
/* At once, with the model as it was explored; constants are of the case. */
void cases_add(struct cases *cases, json_t *constants, const struct tried *tried);
/* Writes the file, where that is wanted, and frees what there is. False after a message. */
bool cases_end(struct cases *cases, bool wanted);

/* Writes the file that --report names. False after a message. */
bool write_report(const struct report *report);

#endif
