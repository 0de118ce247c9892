/* The second run, which keeps the levels that the first one found. */
#ifndef FLOE_RERUN_H
#define FLOE_RERUN_H

#include "api/explore/exploration.h"
#include "engine/trace/level_archive.h"

/* Keeps levels 0..levels - 1 of e->outcome in the archive. FLOE_OK without them (*kept false, and a
   warning that begins with `missing`) when memory or time do not allow it: the verdicts stand. */
floe_status second_pass_keep_levels(struct exploration *e, uint32_t levels, struct archive *archive,
                                    const char *missing, bool *kept);

/* Warns that something is missing, and why. */
void second_pass_give_up(struct exploration *e, const char *missing, const char *why);

/* FLOE_ERROR_INTERNAL after a message. */
floe_status second_pass_wrong(floe_log *log, const char *what);

#endif
