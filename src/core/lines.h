/* Line numbers of many positions in the sources of a model; source_position (diag.h) scans a text from its start each
   time. */
#ifndef FLOE_CORE_LINES_H
#define FLOE_CORE_LINES_H

#include "core/arena.h"
#include "core/diag.h"

struct source_lines {
  const struct source *first;
  const source_at *starts; /* [count] positions where lines start, of all sources */
  size_t count;
};

/* Allocated in the arena, whose guard must be active. */
void source_lines_make(const struct source *first, struct arena *arena, struct source_lines *out);
/* From 1, in its source; 0: NOWHERE. */
unsigned line_number(const struct source_lines *lines, source_at at);

#endif
