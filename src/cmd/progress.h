/* Progress on standard error: one line rewritten on a terminal, lines elsewhere. */
#ifndef FLOE_CMD_PROGRESS_H
#define FLOE_CMD_PROGRESS_H

#include "cmd/options.h"
#include "floe.h"

/* Sets the callback of `settings` where progress is wanted: every second on a terminal, as
 * --progress says elsewhere. */
void progress_begin(const struct options *options, floe_options *settings);
/* Removes the line that was rewritten, if any. */
void progress_end(void);

#endif
