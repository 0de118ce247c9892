#include "frontend/dve/dve_check.h"

#include "frontend/dve/dve_notation.h"

static void compose_all_transitions(struct dve_check *c) { compose_transitions(&c->compose); }

static void compose_all(struct dve_check *c) {
  build_settle(&c->build);
  compose_priority(&c->compose);
  for (size_t p = 0; p < c->build.model->process_count; p++)
    compose_edges(&c->compose, &c->compose.processes[p]);
  if (!c->build.errors)
    (c->system->synchronous ? dve_synchronous_transitions : compose_all_transitions)(c);
}

void dve_check_declarations(struct dve_check *c) {
  build_start(&c->build);
  dve_declare_all(c);
  dve_declare_transitions(c);
  if (!c->build.errors)
    dve_declare_buffers(c);
  if (!c->build.errors)
    build_places(&c->build);
  dve_declare_guess(c);
}

static void check_all(struct dve_check *c) {
  dve_check_declarations(c);
  if (!c->build.errors)
    compose_all(c);
  if (!c->build.errors)
    dve_lower_conditions(c);
  if (!c->build.errors)
    dve_lower_properties(c);
  build_finish(&c->build);
}

static floe_status check_model(struct dve_check *c, const struct outline *outline, struct arena *arena, floe_log *log,
                               const struct model **out) {
  struct model *model = arena_alloc(arena, sizeof *model);
  c->system = outline->tree;
  *model =
      (struct model){.name = outline->name, .description = "", .notation = &dve_notation, .source = c->system->source};
  c->build = (struct builder){.arena = arena, .log = log, .source = c->system->source, .model = model};
  c->compose = (struct compose){.build = &c->build, .operations = &dve_compose_operations, .language = c};
  check_all(c);
  if (c->build.errors)
    return FLOE_ERROR_MODEL;
  *out = model;
  return FLOE_OK;
}

floe_status dve_check(const struct outline *outline, const struct definition *definitions, size_t definition_count,
                      struct arena *arena, floe_log *log, const struct model **out) {
  struct dve_check c = {.definitions = definitions, .definition_count = definition_count};
  return check_model(&c, outline, arena, log, out);
}

floe_status dve_check_within(const struct outline *outline, const struct definition *definitions,
                             size_t definition_count, const struct value_range *ranges, struct arena *arena,
                             const struct model **out) {
  struct dve_check c = {.definitions = definitions, .definition_count = definition_count, .ranges = ranges};
  return check_model(&c, outline, arena, NULL, out);
}
