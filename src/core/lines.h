/* Numbers of lines for many places of one source: source_position (diag.h) reads the text from its start each time. */
#ifndef FLOE_LINES_H
#define FLOE_LINES_H

#include "core/arena.h"
#include "core/diag.h"

struct source_lines {
  const source_at *starts; /* [count] where line i + 1 begins */
  size_t count;
};

/* In the arena, whose guard must be active. */
void source_lines_make(const struct source *source, struct arena *arena, struct source_lines *out);
/* From 1; 0: NOWHERE. */
unsigned line_number(const struct source_lines *lines, source_at at);

#endif
