#include "frontend/promela/promela_language.h"

#include "frontend/promela/promela_check.h"

static const char *const endings[] = {".pml", ".pm", ".prom", ".promela", ".spin", NULL};

/* The names that -D may define, each once. */
static void list_definable(const struct pr_model *model, struct arena *arena, struct outline *outline) {
  const struct name_table *const lists[] = {&model->text->constants, &model->text->parameters, &model->undeclared};
  struct name_table names = {0};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
    for (size_t i = 0; i < lists[k]->count; i++)
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
  *outline =
      (struct outline){.name = language_model_name(endings, source->name, arena), .description = "", .tree = model};
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
