/* Sequence charts of traces. */
#ifndef FLOE_CMD_REPORT_HTML_SEQUENCE_H
#define FLOE_CMD_REPORT_HTML_SEQUENCE_H

#include "floe.h"

#include <stdio.h>

/* Instances and channels as columns, messages as arrows, other steps as marks: SVG in an element that scrolls. Each row
   is a group with data-step, counted from 1. Writes nothing for a trace without steps. */
void html_sequence(FILE *out, const floe_trace *trace);

#endif
