#include "frontend/check/check_expression.h"

#include "frontend/check/checker.h"
#include "frontend/expr/check_expr.h"
#include "frontend/parse/joined_source.h"
#include "frontend/parse/parse.h"

#include <assert.h>

static struct located_text located(const struct source *text, struct arena *arena) {
  source_at *at = arena_array(arena, text->length + 1, sizeof *at);
  for (size_t i = 0; i <= text->length; i++)
    at[i] = text->base + (source_at)i;
  return (struct located_text){text->text, text->length, at};
}

/* By its outermost operator; constants are folded, so that the ground expression does not show it. */
static bool is_bool(const struct syntax_expr *e) {
  switch (e->op) {
  case SYN_NOT:
  case SYN_LT:
  case SYN_LE:
  case SYN_GT:
  case SYN_GE:
  case SYN_EQ:
  case SYN_NE:
  case SYN_AND:
  case SYN_OR:
  case SYN_IMPLIES:
  case SYN_ALL:
  case SYN_EXISTS:
  case SYN_EMPTY:
  case SYN_FULL:
    return true;
  case SYN_COND:
    return is_bool(e->b) && is_bool(e->c);
  default:
    return false;
  }
}

struct reading {
  const struct expression_request *request;
  struct check check;
  const struct joined_source *joined;
  floe_log *log; /* with places in `joined` */
  struct checked_expression *out;
};

static void read_expression(void *data) {
  struct reading *reading = data;
  const struct expression_request *request = reading->request;
  struct check *c = &reading->check;
  reading->joined = joined_source_make(c->build.source, request->text, request->arena);
  c->build.source = reading->joined->first;
  declarations_check(c);
  assert(!c->build.errors); /* the model was checked */
  c->build.log = reading->log;
  const struct parser_input input = {c->build.source, located(reading->joined->text, request->arena), request->arena,
                                     reading->log};
  const struct syntax_expr *e = parse_expression(&input);
  struct scope scope = {.check = c};
  *reading->out = (struct checked_expression){
      .model = c->build.model, .expr = e ? lower(&scope, e) : NULL, .is_bool = e && is_bool(e)};
  build_finish(&c->build);
}

floe_status expression_check(const struct expression_request *request, struct checked_expression *out) {
  const struct syntax_model *syntax = request->outline->tree;
  struct reading reading = {.request = request,
                            .check = {.syntax = syntax,
                                      .build = {.arena = request->arena, .source = syntax->source},
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
