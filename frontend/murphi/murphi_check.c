#include "frontend/murphi/murphi_check.h"

#include "frontend/murphi/murphi_notation.h"

static void set_types(struct mu_check *c) {
  static const char *const values[] = {"false", "true", "undefined"};
  static const struct enumeration names = {"boolean", values, 2}, stored = {"boolean", values, 3};
  c->boolean = (struct mu_type){
      .kind = MU_BOOLEAN, .name = "boolean", .hi = 1, .names = &names, .stored = &stored, .leaves = 1, .parts = 1};
  static const char *const used[] = {"true", "false"};
  static const struct enumeration used_names = {"boolean", used, 2};
  c->used = (struct mu_type){.kind = MU_ENUM, .stored = &used_names, .leaves = 1, .parts = 1};
  c->integer = (struct mu_type){.kind = MU_INTEGER, .lo = INT64_MIN, .hi = INT64_MAX, .leaves = 1, .parts = 1};
}

void mu_check_declarations(struct mu_check *c) {
  struct model *model = c->build.model;
  c->meaning = arena_array(c->build.arena, c->file->names.count + 1, sizeof *c->meaning);
  set_types(c);
  build_start(&c->build);
  mu_declare_file(c);
  model->constants = c->constants;
  if (c->build.errors)
    return;
  build_places(&c->build);
}

/* Start states may have left any value in between; so this is done behind them. */
static void narrow(struct mu_check *c) {
  for (size_t i = 0; c->ranges && i < c->build.model->variable_count; i++) {
    struct variable *v = &c->variables[i];
    v->undefined &= c->ranges[i].hi == v->hi;
    v->lo = c->ranges[i].lo;
    v->hi = c->ranges[i].hi;
  }
}

static void check_all(struct mu_check *c) {
  mu_check_declarations(c);
  if (!c->build.errors)
    mu_lower_starts(c);
  if (c->build.errors)
    return;
  c->build.sites.n = 0; /* those of start states and of the first walk: no step evaluates them */
  c->build.sites.slot_count = 0;
  c->build.nodes = c->build.steps = 0;
  narrow(c);
  build_settle(&c->build);
  mu_lower_rules(c);
  if (!c->build.errors)
    mu_lower_properties(c);
  c->build.model->start_firings = c->start_firings;
  if (c->symmetric && !c->build.errors)
    mu_make_symmetry(c);
}

static floe_status check_model(struct mu_check *c, const struct outline *outline, struct arena *arena, floe_log *log,
                               const struct model **out) {
  struct model *model = arena_alloc(arena, sizeof *model);
  c->file = outline->tree;
  *model =
      (struct model){.name = outline->name, .description = "", .notation = &mu_notation, .source = c->file->source};
  c->build = (struct builder){.arena = arena, .log = log, .source = c->file->source, .model = model, .here = NOWHERE};
  check_all(c);
  build_finish(&c->build);
  if (c->build.errors)
    return FLOE_ERROR_MODEL;
  *out = model;
  return FLOE_OK;
}

floe_status mu_check(const struct outline *outline, const struct definition *definitions, size_t definition_count,
                     struct arena *arena, floe_log *log, const struct model **out) {
  struct mu_check c = {.definitions = definitions, .definition_count = definition_count};
  return check_model(&c, outline, arena, log, out);
}

floe_status mu_check_symmetric(const struct outline *outline, const struct definition *definitions,
                               size_t definition_count, struct arena *arena, floe_log *log, const struct model **out) {
  struct mu_check c = {
      .definitions = definitions, .definition_count = definition_count, .symmetric = true, .asymmetric = NOWHERE};
  return check_model(&c, outline, arena, log, out);
}

floe_status mu_check_within(const struct outline *outline, const struct definition *definitions,
                            size_t definition_count, const struct value_range *ranges, struct arena *arena,
                            const struct model **out) {
  struct mu_check c = {.definitions = definitions, .definition_count = definition_count, .ranges = ranges};
  return check_model(&c, outline, arena, NULL, out);
}
