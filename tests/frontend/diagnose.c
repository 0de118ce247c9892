/* Prints the front end's messages for models: diagnose FILE... Of several files, each has a line "== FILE" first. One
   line LINE:COLUMN: SEVERITY: MESSAGE (HINT) for each message, after the name of the file if it is an included one:
   FILE:LINE:... A first comment <!-- -D NAME=VALUE ... -->, in DVE files // -D NAME=VALUE, sets constants. */
#include "api/includes.h"
#include "api/languages.h"
#include "core/mem.h"
#include "model/language.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEFINITIONS 16

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  size_t room = 1 << 16;
  char *text = mem_alloc(room);
  *length = 0;
  for (size_t n; text && (n = fread(text + *length, 1, room - *length, file)) > 0;) {
    *length += n;
    if (*length == room)
      text = mem_resize(text, room *= 2);
  }
  fclose(file);
  return text;
}

/* Splits `text` into definitions. */
static size_t find_definitions(char *text, struct definition *out) {
  size_t count = 0;
  for (char *word = strtok(text, " \t\r\n"); word; word = strtok(NULL, " \t\r\n")) {
    char *equals = strchr(word, '=');
    if (!equals || count == MAX_DEFINITIONS)
      continue;
    *equals = '\0';
    out[count++] = (struct definition){.name = word, .value = equals + 1};
  }
  return count;
}

static const char *severity_name(floe_severity severity) {
  return severity == FLOE_ERROR ? "error" : severity == FLOE_WARNING ? "warning" : "note";
}

static void print(const floe_log *log, const char *path) {
  for (size_t i = 0; i < floe_log_count(log); i++) {
    const floe_message *m = floe_log_at(log, i);
    if (m->file && strcmp(m->file, path) != 0)
      printf("%s:", strrchr(m->file, '/') + 1);
    printf("%u:%u: %s: %s", m->line, m->column, severity_name(m->severity), m->message);
    if (m->hint)
      printf(" (%s)", m->hint);
    putchar('\n');
  }
  if (floe_log_dropped(log) > 0)
    printf("%zu more errors\n", floe_log_dropped(log));
}

struct reading {
  const struct language *language;
  struct source *source;
  struct arena *arena;
  floe_log *log;
  const struct outline *outline;
  floe_status status;
};

static void read_guarded(void *data) {
  struct reading *r = data;
  const char *folder = include_folder(r->source->name, r->arena);
  const struct include_rules rules = {.folder = folder, .root = folder};
  struct includes includes;
  includes_init(&includes, &rules, r->source, r->arena, r->log);
  r->status = r->language->parse(r->source, &includes.includer, r->arena, r->log, &r->outline);
}

struct checking {
  const struct reading *reading;
  struct definition definitions[MAX_DEFINITIONS];
  floe_status status;
};

static void check_guarded(void *data) {
  struct checking *c = data;
  const struct reading *r = c->reading;
  char comment[256] = "";
  const char *const text = r->source->text, *const definitions = strstr(text, "-D ");
  if (definitions && definitions < text + 8 && (text[0] == '<' || text[0] == '/'))
    snprintf(comment, sizeof comment, "%.*s", (int)strcspn(definitions + 3, ">\n"), definitions + 3);
  const size_t count = find_definitions(comment, c->definitions);
  const struct model *model;
  c->status = r->language->check(r->outline, c->definitions, count, r->arena, r->log, &model);
}

static floe_status diagnose(struct source *source, floe_log *log) {
  struct arena arena;
  struct reading reading = {.language = language_choose(languages, source->name, source->text, source->length),
                            .source = source,
                            .arena = &arena,
                            .log = log};
  struct checking checking = {.reading = &reading};
  arena_init(&arena);
  if (arena_guard(&arena, read_guarded, &reading) != 0)
    reading.status = FLOE_ERROR_MEMORY;
  checking.status = reading.status;
  if (reading.status == FLOE_OK && arena_guard(&arena, check_guarded, &checking) != 0)
    checking.status = FLOE_ERROR_MEMORY;
  arena_free(&arena);
  return checking.status;
}

static int diagnose_file(const char *path) {
  size_t length = 0;
  floe_log *log;
  char *text = read_file(path, &length);
  if (!text || floe_log_create(&log) != FLOE_OK)
    return 99;
  struct source source = {.name = path, .text = text, .length = length};
  floe_status status = diagnose(&source, log);
  bool agree = (status == FLOE_OK) == (floe_log_errors(log) == 0);
  print(log, path);
  floe_log_free(log);
  mem_free(text);
  if (!agree || mem_live() != 0) {
    printf("status %d does not fit, or memory is left: %zu bytes\n", status, mem_live());
    return 99;
  }
  return 0;
}

int main(int argc, char **argv) {
  int code = argc > 1 ? 0 : 99;
  for (int i = 1; i < argc && code == 0; i++) {
    if (argc > 2)
      printf("== %s\n", argv[i]);
    code = diagnose_file(argv[i]);
  }
  return code;
}
