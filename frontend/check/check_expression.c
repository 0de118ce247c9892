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

static void read_expression(void *data, const struct expression_request *request, const struct joined_source *joined,
                            floe_log *log, struct checked_expression *out) {
  struct check *c = data;
  struct arena *arena = request->arena;
  c->build.source = joined->first;
  declarations_check(c);
  assert(!c->build.errors); /* the model was checked */
  c->build.log = log;
  const struct parser_input input = {c->build.source, located(joined->text, arena), arena, log};
  const struct syntax_expr *e = parse_expression(&input);
  struct scope scope = {.check = c};
  *out = (struct checked_expression){
      .model = c->build.model, .expr = e ? lower(&scope, e) : NULL, .is_bool = e && is_bool(e)};
  build_finish(&c->build);
}

floe_status expression_check(const struct expression_request *request, struct checked_expression *out) {
  const struct syntax_model *syntax = request->outline->tree;
  struct check check = {.syntax = syntax,
                        .build = {.arena = request->arena, .source = syntax->source},
                        .definitions = request->definitions,
                        .definition_count = request->definition_count};
  return joined_source_read(request, syntax->source, read_expression, &check, out);
}
