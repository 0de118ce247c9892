/* floe check --report. */
#ifndef FLOE_CMD_REPORT_HTML_H
#define FLOE_CMD_REPORT_HTML_H

#include "cmd/report.h"

/* Writes the file that --report names. False after a message. */
bool write_report(const struct report *report);

#endif
