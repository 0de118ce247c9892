#include "frontend/parse/joined_source.h"

#include "core/diag.h"

#include <string.h>

static const struct joined_source *join(const struct source *model, const char *text, struct arena *arena) {
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

static void pass_on(const floe_log *from, const struct source *text, floe_log *to) {
  for (size_t i = 0; i < floe_log_count(from); i++) {
    const floe_message *message = floe_log_at(from, i);
    const bool here = message->file && strcmp(message->file, text->name) == 0;
    if (message->severity == FLOE_ERROR)
      diag_error(to, text, text->base + (here ? message->column - 1 : 0), message->hint, "%s", message->message);
  }
}

struct reading {
  const struct expression_request *request;
  const struct source *model;
  const struct joined_source *joined;
  floe_log *log;
  expression_reader *read;
  void *language;
  struct checked_expression *out;
};

static void read_joined(void *data) {
  struct reading *r = data;
  r->joined = join(r->model, r->request->text, r->request->arena);
  r->read(r->language, r->request, r->joined, r->log, r->out);
}

floe_status joined_source_read(const struct expression_request *request, const struct source *model,
                               expression_reader *read, void *language, struct checked_expression *out) {
  struct reading r = {.request = request, .model = model, .read = read, .language = language, .out = out};
  FLOE_TRY(floe_log_create(&r.log));
  const bool enough = arena_guard(request->arena, read_joined, &r) == 0;
  if (enough)
    pass_on(r.log, r.joined->text, request->log);
  floe_log_free(r.log);
  return !enough ? FLOE_ERROR_MEMORY : out->expr ? FLOE_OK : FLOE_ERROR_MODEL;
}
