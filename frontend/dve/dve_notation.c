#include "frontend/dve/dve_notation.h"

/* `and` and `or` have one precedence, and so have &, | and ^; weaker operators than the default ones of this strength
   are bracketed by the default texts. */
static const struct operator_text operators[EXPR_OPS] = OPERATOR_TEXTS(STRENGTH_OR, STRENGTH_BITOR, STRENGTH_BITOR);

static const char *expr(const struct model *model, const struct edge *edge, const struct expr *e, struct arena *arena) {
  const struct variable *v = e->op == EXPR_READ ? &model->variables[e->id] : NULL;
  if (!v || v->kind != VARIABLE_LOCAL || !e->a || e->a->op == EXPR_CONST)
    return default_expr_text(model, edge, e, arena);
  return arena_printf(arena, "%s->%s[%s]", model->processes[v->owner].name, v->name,
                      expr_text_of(model, edge, e->a, arena)); /* the default one takes `2 * i` for an instance */
}

const struct notation dve_notation = {
    .operators = operators,
    .truths = {"false", "true"},
    .member = "->",
    .expr = expr,
    .element = default_element_name,
    .value = default_value_text,
    .value_of = default_value_of,
};
