/* Every level of a run, kept for the backward search of traces: in memory up to a bound, beyond it
   in a temporary file without a name (in $TMPDIR, else /tmp). */
#ifndef FLOE_ARCHIVE_H
#define FLOE_ARCHIVE_H

#include "core/status.h"

struct archive;

/* The levels may take this part of the memory limit before they go to a file. */
#define ARCHIVE_SHARE 4

/* States of `words` words; `memory` bytes before the file is used. Errors are told in `log`. */
floe_status archive_create(uint32_t words, uint64_t memory, floe_log *log, struct archive **out);
void archive_free(struct archive *archive); /* NULL is allowed */

floe_status archive_begin_level(struct archive *archive);
/* To the last level. Any number of threads at once. */
floe_status archive_add(struct archive *archive, const uint64_t *states, size_t count);

/* Begins levels until there are so many. Any number of threads at once. */
floe_status archive_reach_level(struct archive *archive, uint32_t levels);
void archive_clear(struct archive *archive); /* as if nothing had been added */

uint32_t archive_levels(const struct archive *archive);
uint64_t archive_states(const struct archive *archive, uint32_t level); /* 0: it has none of that level */
/* Copies states first..first+count of a level. Any number of threads at once, once all has been
 * added. */
floe_status archive_read(const struct archive *archive, uint32_t level, uint64_t first, size_t count, uint64_t *states);

#endif
