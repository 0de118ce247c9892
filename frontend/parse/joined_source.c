#include "frontend/parse/joined_source.h"

#include <string.h>

const struct joined_source *joined_source_make(const struct source *model, const char *text, struct arena *arena) {
  const size_t length = strlen(text);
  char *line = arena_copy(arena, text, length);
  struct source *files = NULL;
  size_t count = 0, room = 0;
  for (size_t i = 0; i < length; i++)
    line[i] = text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
  for (const struct source *file = model; file; file = file->next)
    *ARENA_PUSH(arena, files, count, room) = *file;
  *ARENA_PUSH(arena, files, count, room) =
      (struct source){.name = "expression", .text = line, .length = length, .base = source_end(model)};
  for (size_t i = 1; i < count; i++)
    files[i - 1].next = &files[i];
  struct joined_source *joined = arena_alloc(arena, sizeof *joined);
  *joined = (struct joined_source){files, &files[count - 1]};
  return joined;
}

void joined_source_pass_on(const floe_log *from, const struct source *text, floe_log *to) {
  for (size_t i = 0; i < floe_log_count(from); i++) {
    const floe_message *message = floe_log_at(from, i);
    const bool here = message->file && strcmp(message->file, text->name) == 0;
    if (message->severity == FLOE_ERROR)
      diag_error(to, text, text->base + (here ? message->column - 1 : 0), message->hint, "%s", message->message);
  }
}
