#include "loaded.h"

#include "frontend/xml/reader.h"
#include "model/transitions/successor_bound.h"

#include <stdlib.h>
#include <string.h>

struct loading {
  struct loaded *loaded;
  const char *name, *text;
  size_t length;
  const struct loaded_constant *constants;
  struct definition *definitions;
  size_t definition_count;
  bool done;
};

/* Those given, or expected. */
static void take_constants(struct loading *loading) {
  const struct syntax_model *syntax = loading->loaded->syntax;
  const struct expectation *expect = syntax->expect_count ? &syntax->expects[0] : NULL;
  if (!loading->constants)
    loading->definition_count = expect ? expect->constant_count : 0;
  loading->definitions =
      arena_array(&loading->loaded->arena, loading->definition_count + 1, sizeof *loading->definitions);
  for (size_t i = 0; i < loading->definition_count; i++) {
    loading->definitions[i].name = loading->constants ? loading->constants[i].name : expect->constants[i].name;
    loading->definitions[i].value = loading->constants ? loading->constants[i].value : expect->constants[i].value;
  }
}

static void load(void *data) {
  struct loading *loading = data;
  struct loaded *loaded = loading->loaded;
  struct arena *arena = &loaded->arena;
  struct syntax_model *syntax;
  struct source *source = arena_alloc(arena, sizeof *source);
  *source = (struct source){.name = arena_copy(arena, loading->name, strlen(loading->name)),
                            .text = arena_copy(arena, loading->text, loading->length),
                            .length = loading->length};
  if (syntax_read(source, NULL, arena, loaded->log, &syntax) != FLOE_OK)
    return;
  loaded->syntax = syntax;
  take_constants(loading);
  loading->done = model_check(syntax, loading->definitions, loading->definition_count, arena, loaded->log,
                              &loaded->model) == FLOE_OK &&
                  layout_make(loaded->model, arena, &loaded->layout) == FLOE_OK;
}

bool loaded_from_text(struct loaded *loaded, const char *name, const char *text, size_t length,
                      const struct loaded_constant *constants, size_t constant_count) {
  struct loading loading = {.loaded = loaded,
                            .name = name,
                            .text = text,
                            .length = length,
                            .constants = constants,
                            .definition_count = constant_count};
  memset(loaded, 0, sizeof *loaded);
  arena_init(&loaded->arena);
  return floe_log_create(&loaded->log) == FLOE_OK && arena_guard(&loaded->arena, load, &loading) == 0 && loading.done;
}

struct expecting {
  const struct model *model;
  struct arena arena;
  uint64_t successors;
};

static void expect(void *data) {
  struct expecting *expecting = data;
  expecting->successors = successors_expected(expecting->model, &expecting->arena);
}

uint64_t loaded_expected(const struct loaded *loaded) {
  struct expecting expecting = {.model = loaded->model};
  arena_init(&expecting.arena);
  if (arena_guard(&expecting.arena, expect, &expecting) != 0)
    abort();
  arena_free(&expecting.arena);
  return expecting.successors;
}

bool loaded_from_file(struct loaded *loaded, const char *path, const struct loaded_constant *constants,
                      size_t constant_count) {
  static char text[1 << 20];
  memset(loaded, 0, sizeof *loaded);
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  return length < sizeof text && loaded_from_text(loaded, path, text, length, constants, constant_count);
}

void loaded_free(struct loaded *loaded) {
  arena_free(&loaded->arena);
  floe_log_free(loaded->log);
}

const char *loaded_message(const struct loaded *loaded) {
  if (!loaded->log)
    return "the file cannot be read";
  return floe_log_count(loaded->log) ? floe_log_at(loaded->log, 0)->message : "";
}
