#include "core/lines.h"

#include <string.h>

void source_lines_make(const struct source *source, struct arena *arena, struct source_lines *out) {
  source_at *starts = NULL;
  size_t count = 0, room = 0;
  const char *end = source->text + source->length;
  *ARENA_PUSH(arena, starts, count, room) = 0;
  for (const char *at = source->text; (at = memchr(at, '\n', (size_t)(end - at))); at++)
    *ARENA_PUSH(arena, starts, count, room) = (source_at)(at + 1 - source->text);
  *out = (struct source_lines){starts, count};
}

unsigned line_number(const struct source_lines *lines, source_at at) {
  size_t from = 0, to = lines->count; /* the line is in [from + 1, to] */
  if (at == NOWHERE)
    return 0;
  while (to - from > 1) {
    size_t middle = from + (to - from) / 2;
    if (lines->starts[middle] <= at)
      from = middle;
    else
      to = middle;
  }
  return (unsigned)from + 1;
}
