#include "frontend/dve/dve_language.h"

#include "frontend/dve/dve_check.h"
#include "frontend/dve/dve_expression.h"
#include "frontend/dve/dve_write.h"
#include "frontend/dve/parse/dve_parse.h"

static const char *const endings[] = {".dve", NULL};

static const char *const *constant_names(const struct dve_system *system, struct arena *arena, size_t *count) {
  const char **names = arena_array(arena, system->variables.n + 1, sizeof *names);
  for (size_t i = 0; i < system->variables.n; i++)
    if (system->variables.items[i].is_constant && !system->variables.items[i].size)
      names[(*count)++] = system->variables.items[i].name.text;
  names[(*count)++] = DVE_GUESS;
  return names;
}

static floe_status parse(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                         const struct outline **out) {
  (void)includer; /* DVE files include none */
  const struct dve_system *system;
  FLOE_TRY(dve_parse(source, arena, log, &system));
  struct outline *outline = arena_alloc(arena, sizeof *outline);
  *outline =
      (struct outline){.name = language_model_name(endings, source->name, arena), .description = "", .tree = system};
  outline->constants = constant_names(system, arena, &outline->constant_count);
  *out = outline;
  return FLOE_OK;
}

const struct language dve_language = {
    .name = "dve",
    .description = "DVE, the language of DiVinE",
    .endings = endings,
    .recognise = dve_recognise,
    .parse = parse,
    .check = dve_check,
    .check_within = dve_check_within,
    .expression = dve_expression,
    .write = dve_write,
};
