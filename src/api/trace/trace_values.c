/* The parts of a property with their values in a trace's last state. */
#include "api/trace/trace.h"

#include <inttypes.h>
#include <string.h>

#define MOST_PARTS 12
#define LONGEST_PART 240 /* characters; longer ones help nobody */

struct part_list {
  const struct model *model;
  const int64_t *values;
  const int64_t *selects;  /* NULL: the expression is of a property and has none */
  const struct edge *edge; /* whose guard it is; NULL: none's */
  struct arena *arena;
  struct trace_parts *parts;
};

/* A text that outlives the model. */
static const char *own(const struct part_list *list, const char *text) {
  return arena_copy(list->arena, text, strlen(text));
}

static bool listed(const struct trace_parts *parts, const char *text) {
  for (size_t i = 0; i < parts->count; i++)
    if (strcmp(parts->list[i].text, text) == 0)
      return true;
  return false;
}

/* What was chosen has no name here. */
static bool has_choice(const struct expr *expr) {
  return expr && (expr->op == EXPR_SELECT || has_choice(expr->a) || has_choice(expr->b) || has_choice(expr->c));
}

static bool is_truth(const struct model *model, const struct expr *expr) {
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

static const char *shown(const struct part_list *list, const struct expr *expr, int64_t value) {
  if (expr->op == EXPR_READ)
    return own(list, value_text(list->model, expr->id, value, list->arena));
  if (is_truth(list->model, expr))
    return value ? "true" : "false";
  return arena_printf(list->arena, "%" PRId64, value);
}

static void add_part(struct part_list *list, const struct expr *expr) {
  int64_t value;
  struct trace_parts *parts = list->parts;
  if (expr->op == EXPR_CONST || parts->count == MOST_PARTS || has_choice(expr))
    return;
  const char *text = expr_text_of(list->model, list->edge, expr, list->arena);
  if (strlen(text) > LONGEST_PART || listed(parts, text))
    return;
  if (interpreter_eval(list->model, expr, list->values, list->selects, NULL, &value) != NO_SITE)
    return;
  *ARENA_PUSH(list->arena, parts->list, parts->count, parts->cap) =
      (struct trace_part){own(list, text), shown(list, expr, value)};
}

/* "the instance is at this location" is one thing to people, not a comparison. */
static bool is_location_test(const struct model *model, const struct expr *expr) {
  return (expr->op == EXPR_EQ || expr->op == EXPR_NE) && expr->a->op == EXPR_READ &&
         model->variables[expr->a->id].kind == VARIABLE_LOCATION && expr->b->op == EXPR_CONST;
}

static void add_parts(struct part_list *list, const struct expr *expr) {
  switch (expr->op) {
  case EXPR_AND:
  case EXPR_OR:
    add_parts(list, expr->a);
    add_parts(list, expr->b);
    return;
  case EXPR_NOT:
    add_parts(list, expr->a);
    return;
  case EXPR_COND:
    add_parts(list, expr->a);
    add_parts(list, expr->b);
    add_parts(list, expr->c);
    return;
  case EXPR_LT:
  case EXPR_LE:
  case EXPR_EQ:
  case EXPR_NE:
    if (!is_location_test(list->model, expr)) {
      add_part(list, expr->a);
      add_part(list, expr->b);
      return;
    }
    break;
  default:
    break;
  }
  add_part(list, expr);
}

void trace_parts_add(const struct model *model, const struct expr *expr, const int64_t *values, const int64_t *selects,
                     const struct edge *edge, struct arena *arena, struct trace_parts *parts) {
  struct part_list list = {model, values, selects, edge, arena, parts};
  if (expr)
    add_parts(&list, expr);
}
