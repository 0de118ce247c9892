/* floe check --report. */
#ifndef FLOE_CMD_REPORT_HTML_H
#define FLOE_CMD_REPORT_HTML_H

#include "cmd/report.h"

/* Writes the file that --report names; EXIT_AS_WANTED or the exit code for what went wrong. */
int write_report(const struct report *report);

#endif
