#include "frontend/dve/dve_expression.h"

#include "frontend/dve/dve_check.h"
#include "frontend/dve/dve_notation.h"
#include "frontend/dve/parse/dve_parse.h"
#include "frontend/parse/joined_source.h"

#include <assert.h>

/* By its outermost operator; constants are folded, so that the ground expression does not show it. */
static bool is_bool(const struct dve_expr *e) {
  return e->op == DVE_STATE || e->op == DVE_NOT || (DVE_IMPLY <= e->op && e->op <= DVE_AND) ||
         (DVE_EQ <= e->op && e->op <= DVE_GE);
}

static void read_expression(void *data, const struct expression_request *request, const struct joined_source *joined,
                            floe_log *log, struct checked_expression *out) {
  struct dve_check *c = data;
  struct arena *arena = request->arena;
  struct model *model = arena_alloc(arena, sizeof *model);
  *model = (struct model){
      .name = request->outline->name, .description = "", .notation = &dve_notation, .source = c->system->source};
  c->build.model = model;
  c->compose = (struct compose){.build = &c->build, .operations = &dve_compose_operations, .language = c};
  dve_check_declarations(c);
  assert(!c->build.errors); /* the model was checked */
  c->build.log = log;
  c->build.source = joined->first;
  const struct dve_expr *e = dve_parse_condition(joined->text, arena, log);
  const struct dve_scope scope = {.check = c};
  *out =
      (struct checked_expression){.model = model, .expr = e ? dve_lower(&scope, e) : NULL, .is_bool = e && is_bool(e)};
  build_finish(&c->build);
}

floe_status dve_expression(const struct expression_request *request, struct checked_expression *out) {
  const struct dve_system *system = request->outline->tree;
  struct dve_check check = {.system = system,
                            .build = {.arena = request->arena, .source = system->source},
                            .definitions = request->definitions,
                            .definition_count = request->definition_count};
  return joined_source_read(request, system->source, read_expression, &check, out);
}
