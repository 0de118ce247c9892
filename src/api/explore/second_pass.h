/* Second pass: repeats the search and archives its levels, for traces and for transitions that never fired. */
#ifndef FLOE_API_EXPLORE_SECOND_PASS_H
#define FLOE_API_EXPLORE_SECOND_PASS_H

#include "api/explore/exploration.h"
#include "engine/trace/level_archive.h"

/* What a result lacks without the pass, for a warning: "no trace for `a`", "reconstructing it". */
struct second_pass_purpose {
  const char *missing, *activity;
};

/* Archives levels 0..levels - 1 of e->outcome, with the stop conditions of traces. If memory or time do not suffice:
   FLOE_OK with *kept false, and a warning; the verdicts stay valid. */
floe_status second_pass_keep_levels(struct exploration *e, uint32_t levels, struct archive *archive,
                                    const struct second_pass_purpose *purpose, bool *kept);

/* Memory of the archive; the pass has the rest. */
uint64_t second_pass_archive_memory(const struct exploration *e);
/* States of the levels 0..depth - 1. */
uint64_t second_pass_states(const struct exploration *e, uint32_t depth);
/* If a single GPU explored, and can hold the levels 0..depth - 1: repeats the search there, and sets e->outcome.paths
   to the paths of the request. Else, and after an error, there are none. */
void second_pass_find_paths(struct exploration *e, const struct task_paths *paths, uint32_t depth);

/* Logs a warning: "missing: time limit reached while activity". */
void second_pass_give_up(const struct exploration *e, const struct second_pass_purpose *purpose, floe_end why);
/* The reason for an error of a function with the stop conditions of traces: memory, file, or stopped. */
floe_end second_pass_end(const struct exploration *e, floe_status status);

/* Logs an internal error; returns FLOE_ERROR_INTERNAL. */
floe_status second_pass_wrong(floe_log *log, const char *what);

#endif
