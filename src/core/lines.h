/* Line numbers of many positions in one source; source_position (diag.h) scans the text from its start each time. */
#ifndef FLOE_CORE_LINES_H
#define FLOE_CORE_LINES_H

#include "core/arena.h"
#include "core/diag.h"

struct source_lines {
  const source_at *starts; /* [count] position where line i + 1 starts */
  size_t count;
};

/* Allocated in the arena, whose guard must be active. */
void source_lines_make(const struct source *source, struct arena *arena, struct source_lines *out);
/* From 1; 0: NOWHERE. */
unsigned line_number(const struct source_lines *lines, source_at at);

#endif
