#include "core/lines.h"

#include <string.h>

void source_lines_make(const struct source *first, struct arena *arena, struct source_lines *out) {
  source_at *starts = NULL;
  size_t count = 0, room = 0;
  for (const struct source *source = first; source; source = source->next) {
    const char *end = source->text + source->length;
    *ARENA_PUSH(arena, starts, count, room) = source->base;
    for (const char *at = source->text; (at = memchr(at, '\n', (size_t)(end - at))); at++)
      *ARENA_PUSH(arena, starts, count, room) = source->base + (source_at)(at + 1 - source->text);
  }
  *out = (struct source_lines){first, starts, count};
}

/* Index of the line that holds the position. */
static size_t find_line(const struct source_lines *lines, source_at at) {
  size_t from = 0, to = lines->count; /* it is in [from, to) */
  while (to - from > 1) {
    size_t middle = from + (to - from) / 2;
    if (lines->starts[middle] <= at)
      from = middle;
    else
      to = middle;
  }
  return from;
}

unsigned line_number(const struct source_lines *lines, source_at at) {
  if (at == NOWHERE)
    return 0;
  return (unsigned)(find_line(lines, at) - find_line(lines, source_find(lines->first, at)->base)) + 1;
}
