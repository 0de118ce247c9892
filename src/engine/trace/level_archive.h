/* Archive of all levels of a run, for the backward search of traces: in memory up to a limit, then in an unnamed
   temporary file (in $TMPDIR, else /tmp). */
#ifndef FLOE_ENGINE_TRACE_LEVEL_ARCHIVE_H
#define FLOE_ENGINE_TRACE_LEVEL_ARCHIVE_H

#include "core/status.h"
#include "engine/trace/level_source.h"

struct archive;

/* The archive may use 1 / ARCHIVE_SHARE of the memory limit before it uses a file. */
#define ARCHIVE_SHARE 4

/* States of `words` words; `memory`: bytes before the file is used. Errors are logged in `log`. */
floe_status archive_create(uint32_t words, uint64_t memory, floe_log *log, struct archive **out);
void archive_free(struct archive *archive); /* NULL is allowed */

floe_status archive_begin_level(struct archive *archive);
/* Adds states to the last level. Thread-safe. */
floe_status archive_add(struct archive *archive, const uint64_t *states, size_t count);

/* Begins levels until there are `levels`. Thread-safe. */
floe_status archive_reach_level(struct archive *archive, uint32_t levels);
void archive_clear(struct archive *archive); /* removes all levels */

uint32_t archive_levels(const struct archive *archive);
uint64_t archive_states(const struct archive *archive, uint32_t level); /* 0: there is no such level */
/* Copies states first..first+count of a level. Thread-safe once all states have been added. */
floe_status archive_read(const struct archive *archive, uint32_t level, uint64_t first, size_t count, uint64_t *states);
/* The archive as a source, in parts of LEVEL_PART states. */
struct level_source archive_source(const struct archive *archive);

#endif
