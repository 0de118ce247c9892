/* The parts of a property with their values in a trace's last state. */
#include "api/trace.h"

#include <inttypes.h>
#include <string.h>

#define MOST_PARTS 12
#define LONGEST_PART 240 /* characters; longer ones help nobody */

struct part_list {
  const struct model *model;
  const int64_t *values;
  struct arena *arena;
  struct floe_trace *trace;
};

static bool listed(const struct floe_trace *trace, const char *text) {
  for (size_t i = 0; i < trace->part_count; i++)
    if (strcmp(trace->parts[i].text, text) == 0)
      return true;
  return false;
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
    return value_text(list->model, expr->id, value, list->arena);
  if (is_truth(list->model, expr))
    return value ? "true" : "false";
  return arena_printf(list->arena, "%" PRId64, value);
}

static void add_part(struct part_list *list, const struct expr *expr) {
  int64_t value;
  struct floe_trace *trace = list->trace;
  if (expr->op == EXPR_CONST || trace->part_count == MOST_PARTS)
    return;
  const char *text = expr_text(list->model, expr, list->arena);
  if (strlen(text) > LONGEST_PART || listed(trace, text))
    return;
  if (interpreter_eval(list->model, expr, list->values, NULL, NULL, &value) != NO_SITE)
    return;
  *ARENA_PUSH(list->arena, trace->parts, trace->part_count, trace->part_cap) =
      (struct trace_part){text, shown(list, expr, value)};
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

void trace_parts(const struct model *model, const struct expr *property, const int64_t *values, struct arena *arena,
                 struct floe_trace *trace) {
  struct part_list list = {model, values, arena, trace};
  if (property)
    add_parts(&list, property);
}
