#include "frontend/dve/dve_expression.h"

#include "frontend/dve/dve_check.h"
#include "frontend/dve/dve_notation.h"
#include "frontend/dve/dve_parse.h"
#include "frontend/parse/joined_source.h"

#include <assert.h>

struct reading {
  const struct expression_request *request;
  struct dve_check check;
  const struct joined_source *joined;
  floe_log *log; /* with places in `joined` */
  struct checked_expression *out;
};

/* By its outermost operator; constants are folded, so that the ground expression does not show it. */
static bool is_bool(const struct dve_expr *e) {
  return e->op == DVE_STATE || e->op == DVE_NOT || (DVE_IMPLY <= e->op && e->op <= DVE_AND) ||
         (DVE_EQ <= e->op && e->op <= DVE_GE);
}

static void read_expression(void *data) {
  struct reading *reading = data;
  const struct expression_request *request = reading->request;
  struct dve_check *c = &reading->check;
  struct model *model = arena_alloc(request->arena, sizeof *model);
  *model = (struct model){
      .name = request->outline->name, .description = "", .notation = &dve_notation, .source = c->system->source};
  c->build.model = model;
  c->compose = (struct compose){.build = &c->build, .operations = &dve_compose_operations, .language = c};
  reading->joined = joined_source_make(c->system->source, request->text, request->arena);
  dve_check_declarations(c);
  assert(!c->build.errors); /* the model was checked */
  c->build.log = reading->log;
  c->build.source = reading->joined->first;
  const struct dve_expr *e = dve_parse_condition(reading->joined->text, request->arena, reading->log);
  const struct dve_scope scope = {.check = c};
  *reading->out =
      (struct checked_expression){.model = model, .expr = e ? dve_lower(&scope, e) : NULL, .is_bool = e && is_bool(e)};
  build_finish(&c->build);
}

floe_status dve_expression(const struct expression_request *request, struct checked_expression *out) {
  const struct dve_system *system = request->outline->tree;
  struct reading reading = {.request = request,
                            .check = {.system = system,
                                      .build = {.arena = request->arena, .source = system->source},
                                      .definitions = request->definitions,
                                      .definition_count = request->definition_count},
                            .out = out};
  FLOE_TRY(floe_log_create(&reading.log));
  const bool enough = arena_guard(request->arena, read_expression, &reading) == 0;
  if (enough)
    joined_source_pass_on(reading.log, reading.joined->text, request->log);
  floe_log_free(reading.log);
  return !enough ? FLOE_ERROR_MEMORY : out->expr ? FLOE_OK : FLOE_ERROR_MODEL;
}
