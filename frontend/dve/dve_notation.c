#include "frontend/dve/dve_notation.h"

/* `and` and `or` have one precedence, and so have &, | and ^; weaker operators than the default ones of this strength
   are bracketed by the default texts. */
static const struct operator_text operators[EXPR_OPS] = OPERATOR_TEXTS(STRENGTH_OR, STRENGTH_BITOR, STRENGTH_BITOR);

static const char *expr(const struct model *model, const struct edge *edge, const struct expr *e, struct arena *arena) {
  const struct variable *v = e->op == EXPR_READ ? &model->variables[e->id] : NULL;
  if (!v || v->kind != VARIABLE_LOCAL || !e->a || e->a->op == EXPR_CONST)
    return default_expr_text(model, edge, e, arena);
  return arena_printf(arena, "%s->%s[%s]", model->processes[v->owner].name, v->name,
                      expr_text_of(model, edge, e->a, arena));
}

static const char *element(const struct model *model, uint32_t variable, uint32_t number, struct arena *arena) {
  const struct variable *v = &model->variables[variable];
  if (v->kind != VARIABLE_LOCAL)
    return default_element_name(model, variable, number, arena);
  return arena_printf(arena, "%s->%s", model->processes[v->owner].name, own_element_name(v, number, arena));
}

const struct notation dve_notation = {
    .operators = operators,
    .truths = {"false", "true"},
    .expr = expr,
    .element = element,
    .value = default_value_text,
    .value_of = default_value_of,
};
