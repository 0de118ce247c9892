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

/* The names that -D may define, each once. */
static void list_definable(const struct pr_model *model, struct arena *arena, struct outline *outline) {
  const struct pr_words *const lists[] = {&model->text->constants, &model->text->parameters, &model->undeclared};
  struct name_table names = {0};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
    for (size_t i = 0; i < lists[k]->n; i++)
      name_table_add(&names, arena, lists[k]->names[i]);
  name_table_add(&names, arena, PR_GUESS);
  outline->constants = names.names;
  outline->constant_count = names.count;
}

static floe_status parse(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                         const struct outline **out) {
  const struct pr_model *model;
  FLOE_TRY(pr_parse(source, includer, &(struct pr_givens){0}, arena, log, &model));
  struct outline *outline = arena_alloc(arena, sizeof *outline);
  *outline = (struct outline){.name = model_name(source->name, arena), .description = "", .tree = model};
  list_definable(model, arena, outline);
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
