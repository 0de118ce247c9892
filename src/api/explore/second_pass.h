/* Second pass: repeats the search and archives its levels, for traces and for transitions that never fired. */
#ifndef FLOE_API_EXPLORE_SECOND_PASS_H
#define FLOE_API_EXPLORE_SECOND_PASS_H

#include "api/explore/exploration.h"
#include "engine/trace/level_archive.h"

/* Archives levels 0..levels - 1 of e->outcome. If memory or time do not suffice: FLOE_OK with *kept false, and a
   warning that begins with `missing`; the verdicts stay valid. */
floe_status second_pass_keep_levels(struct exploration *e, uint32_t levels, struct archive *archive,
                                    const char *missing, bool *kept);

/* States of the levels 0..depth - 1. */
uint64_t second_pass_states(const struct exploration *e, uint32_t depth);
/* If a single GPU explored, and can hold the levels 0..depth - 1: repeats the search there, and sets e->outcome.paths
   to the paths of the request. Else, and after an error, there are none. */
void second_pass_find_paths(struct exploration *e, const struct task_paths *paths, uint32_t depth);

/* Logs a warning "missing: why". */
void second_pass_give_up(struct exploration *e, const char *missing, const char *why);

/* Logs an internal error; returns FLOE_ERROR_INTERNAL. */
floe_status second_pass_wrong(floe_log *log, const char *what);

#endif
