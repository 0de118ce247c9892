#include "frontend/murphi/murphi_language.h"

#include "frontend/murphi/murphi_check.h"
#include "frontend/murphi/murphi_notation.h"
#include "frontend/murphi/parse/murphi_parser.h"
#include "frontend/parse/joined_source.h"

#include <assert.h>

static const char *const endings[] = {".m", NULL};

static void set_constants(const struct mu_file *file, struct arena *arena, struct outline *outline) {
  const char **names = arena_array(arena, file->names.count + 1, sizeof *names);
  for (size_t i = 0; i < file->items.n; i++) {
    const struct mu_declaration *d = &file->items.items[i].declaration;
    const bool constants = file->items.items[i].kind == MU_I_DECLARATION && d->kind == MU_DECLARE_CONST;
    for (size_t k = 0; constants && k < d->names.n && outline->constant_count < file->names.count; k++)
      names[outline->constant_count++] = file->names.names[d->names.items[k].id];
  }
  outline->constants = names;
}

static floe_status parse(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                         const struct outline **out) {
  const struct mu_file *file;
  struct outline *outline = arena_alloc(arena, sizeof *outline);
  FLOE_TRY(mu_parse(source, includer, arena, log, &file));
  *outline =
      (struct outline){.name = language_model_name(endings, source->name, arena), .description = "", .tree = file};
  set_constants(file, arena, outline);
  *out = outline;
  return FLOE_OK;
}

/* ---- expressions --------------------------------------------------------------------------------- */

/* A table with the same numbers, which can grow. */
static struct name_table copy_names(const struct name_table *from, struct arena *arena) {
  struct name_table names = {0};
  for (size_t i = 0; i < from->count; i++)
    name_table_add(&names, arena, from->names[i]);
  return names;
}

static void read_expression(void *data, const struct expression_request *request, const struct joined_source *joined,
                            floe_log *log, struct checked_expression *out) {
  struct mu_file *file = data;
  struct arena *arena = request->arena;
  struct model *model = arena_alloc(arena, sizeof *model);
  struct mu_check *c = arena_alloc(arena, sizeof *c);
  file->names = copy_names(&file->names, arena);
  const struct mu_expr *e = mu_parse_property(joined->text, arena, log, &file->names);
  *c = (struct mu_check){
      .file = file, .definitions = request->definitions, .definition_count = request->definition_count};
  *model = (struct model){
      .name = request->outline->name, .description = "", .notation = &mu_notation, .source = file->source};
  c->build = (struct builder){.arena = arena, .source = file->source, .model = model, .here = NOWHERE};
  mu_check_declarations(c);
  assert(!c->build.errors); /* the model was checked */
  c->build.log = log;
  c->build.source = joined->first;
  *out = (struct checked_expression){.model = model};
  if (e) {
    const struct mu_type *type;
    out->expr = mu_scalar(c, e, &type);
    out->is_bool = type && type->kind == MU_BOOLEAN;
  }
  build_finish(&c->build);
}

static floe_status expression(const struct expression_request *request, struct checked_expression *out) {
  struct mu_file file = *(const struct mu_file *)request->outline->tree;
  return joined_source_read(request, file.source, read_expression, &file, out);
}

const struct language murphi_language = {
    .name = "murphi",
    .description = "Murphi, the language of CMurphi and Rumur",
    .endings = endings,
    .recognise = mu_recognise,
    .parse = parse,
    .check = mu_check,
    .check_symmetric = mu_check_symmetric,
    .check_within = mu_check_within,
    .expression = expression,
};
