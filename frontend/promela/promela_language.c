#include "frontend/promela/promela_language.h"

#include "frontend/promela/promela_check.h"

#include <string.h>

static const char *const endings[] = {".pml", ".pm", ".prom", ".promela", ".spin", NULL};

/* The file's name without folders and ending. */
static const char *model_name(const char *file, struct arena *arena) {
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  const size_t length = strlen(name);
  for (size_t i = 0; endings[i]; i++) {
    const size_t ending = strlen(endings[i]);
    if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
      return arena_copy(arena, name, length - ending);
  }
  return arena_copy(arena, name, length);
}

static floe_status parse(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                         const struct outline **out) {
  const struct pr_model *model;
  FLOE_TRY(pr_parse(source, includer, arena, log, &model));
  struct outline *outline = arena_alloc(arena, sizeof *outline);
  const char **constants = arena_array(arena, model->constant_count + 1, sizeof *constants);
  for (size_t i = 0; i < model->constant_count; i++)
    constants[i] = model->constants[i];
  constants[model->constant_count] = PR_GUESS;
  *outline = (struct outline){.name = model_name(source->name, arena),
                              .description = "",
                              .constants = constants,
                              .constant_count = model->constant_count + 1,
                              .tree = model};
  *out = outline;
  return FLOE_OK;
}

const struct language promela_language = {
    .name = "promela",
    .description = "Promela, the language of Spin",
    .endings = endings,
    .recognise = pr_recognise,
    .parse = parse,
    .check = pr_check,
    .check_within = pr_check_within,
};
