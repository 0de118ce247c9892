/* Subexpressions of a property or guard, with their values in a state. */
#include "api/trace/trace.h"
#include "model/notation.h"

#include <inttypes.h>
#include <string.h>

#define MOST_SUBEXPRESSIONS 12
#define LONGEST_SUBEXPRESSION 240 /* characters; longer ones are not readable */

/* A copy that outlives the model. */
static const char *own(const struct subexpression_scope *scope, const char *text) {
  return arena_copy(scope->arena, text, strlen(text));
}

static bool is_listed(const struct trace_subexpressions *out, const char *text) {
  for (size_t i = 0; i < out->count; i++)
    if (strcmp(out->list[i].text, text) == 0)
      return true;
  return false;
}

/* Selected values without a name cannot be shown. */
static bool has_choice(const struct expr *expr) {
  return expr && (expr->op == EXPR_SELECT || has_choice(expr->a) || has_choice(expr->b) || has_choice(expr->c));
}

static bool is_boolean(const struct model *model, const struct expr *expr) {
  switch (expr->op) {
  case EXPR_READ:
    return model->variables[expr->id].is_bool;
  case EXPR_LT:
  case EXPR_LE:
  case EXPR_EQ:
  case EXPR_NE:
  case EXPR_AND:
  case EXPR_OR:
  case EXPR_NOT:
    return true;
  default:
    return false;
  }
}

const char *expression_value_text(const struct model *model, const struct expr *expr, int64_t value,
                                  struct arena *arena) {
  if (expr->op == EXPR_READ) {
    const char *text = value_text(model, expr->id, value, arena);
    return arena_copy(arena, text, strlen(text));
  }
  if (is_boolean(model, expr))
    return model->notation->truths[value != 0];
  return arena_printf(arena, "%" PRId64, value);
}

static void add_subexpression(const struct subexpression_scope *scope, const struct expr *expr,
                              struct trace_subexpressions *out) {
  int64_t value;
  if (expr->op == EXPR_CONST || out->count == MOST_SUBEXPRESSIONS || has_choice(expr))
    return;
  const char *text = expr_text_of(scope->model, scope->edge, expr, scope->arena);
  if (strlen(text) > LONGEST_SUBEXPRESSION || is_listed(out, text))
    return;
  if (interpreter_eval(scope->model, expr, scope->values, scope->selects, scope->message, &value) != NO_SITE)
    return;
  *ARENA_PUSH(scope->arena, out->list, out->count, out->cap) =
      (struct trace_subexpression){own(scope, text), expression_value_text(scope->model, expr, value, scope->arena)};
}

/* "The instance is at this location" is shown as one condition, not as a comparison. */
static bool is_location_test(const struct model *model, const struct expr *expr) {
  return (expr->op == EXPR_EQ || expr->op == EXPR_NE) && expr->a->op == EXPR_READ &&
         model->variables[expr->a->id].kind == VARIABLE_LOCATION && expr->b->op == EXPR_CONST;
}

static void add_subexpressions(const struct subexpression_scope *scope, const struct expr *expr,
                               struct trace_subexpressions *out) {
  switch (expr->op) {
  case EXPR_AND:
  case EXPR_OR:
    add_subexpressions(scope, expr->a, out);
    add_subexpressions(scope, expr->b, out);
    return;
  case EXPR_NOT:
    add_subexpressions(scope, expr->a, out);
    return;
  case EXPR_COND:
    add_subexpressions(scope, expr->a, out);
    add_subexpressions(scope, expr->b, out);
    add_subexpressions(scope, expr->c, out);
    return;
  case EXPR_LT:
  case EXPR_LE:
  case EXPR_EQ:
  case EXPR_NE:
    if (!is_location_test(scope->model, expr)) {
      add_subexpression(scope, expr->a, out);
      add_subexpression(scope, expr->b, out);
      return;
    }
    break;
  default:
    break;
  }
  add_subexpression(scope, expr, out);
}

void trace_subexpressions_add(const struct subexpression_scope *scope, const struct expr *expr,
                              struct trace_subexpressions *out) {
  if (expr)
    add_subexpressions(scope, expr, out);
}
