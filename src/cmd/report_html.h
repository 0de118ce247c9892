/* floe check --report. */
#ifndef FLOE_CMD_REPORT_HTML_H
#define FLOE_CMD_REPORT_HTML_H

#include "cmd/report.h"

/* How a verdict is marked: a class of the style. */
const char *html_verdict_class(const floe_verdict *verdict);
/* The section of all traces; that of the i-th verdict (report_verdict) has the id trace-I, I counted from 1. */
void html_traces(FILE *out, const struct report *report);

/* Writes the file that --report names. False after a message. */
bool write_report(const struct report *report);

#endif
