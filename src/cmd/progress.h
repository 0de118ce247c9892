/* Progress on standard error: one line that is overwritten on a terminal, otherwise a line per report. */
#ifndef FLOE_CMD_PROGRESS_H
#define FLOE_CMD_PROGRESS_H

#include "cmd/console/options.h"
#include "floe.h"

/* Sets the callback of `settings` if progress is enabled: every second on a terminal, else by --progress. */
void progress_begin(const struct options *options, floe_options *settings);
/* Removes the last progress line from a terminal. */
void progress_end(void);

#endif
