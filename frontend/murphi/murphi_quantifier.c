/* forall, exists, and the values of loops. */
#include "frontend/murphi/murphi_check.h"

static bool by_values(struct mu_check *c, const struct mu_quantifier *q, struct mu_rounds *out) {
  const struct mu_type *from, *to, *by;
  out->type = &c->integer;
  out->first = mu_freeze(c, mu_scalar(c, q->from, &from), q->from->at);
  out->last = mu_freeze(c, mu_scalar(c, q->to, &to), q->to->at);
  out->step = 1;
  if (!out->first || !out->last || (q->by && !mu_constant(c, q->by, "the step", &by, &out->step)))
    return false;
  if (!mu_is_number(from) || !mu_is_number(to) || (q->by && !mu_is_number(by))) {
    MU_ERROR(c, q->name.at, "write 'i: T' for the values of a type", "a loop from one value to another has numbers");
    return false;
  }
  if (out->step == 0) {
    MU_ERROR(c, q->by->at, NULL, "the step of the loop is 0");
    return false;
  }
  const bool up = out->step > 0;
  const int64_t lo = up ? out->first->lo : out->last->lo, hi = up ? out->last->hi : out->first->hi;
  out->lo = lo;
  out->hi = hi < lo ? lo : hi;
  out->count = hi < lo ? 0 : (uint64_t)(hi - lo) / (uint64_t)(up ? out->step : -out->step) + 1;
  if (out->first->op == EXPR_CONST && out->last->op == EXPR_CONST)
    out->last = NULL;
  return true;
}

bool mu_rounds_of(struct mu_check *c, const struct mu_quantifier *q, struct mu_rounds *out) {
  *out = (struct mu_rounds){.step = 1};
  if (!q->type) {
    if (!by_values(c, q, out))
      return false;
  } else {
    out->type = mu_type_of(c, q->type, NULL);
    if (!out->type)
      return false;
    if (!mu_is_scalar(out->type)) {
      MU_ERROR(c, q->type->at, NULL, "'%s' takes the values of a scalar type; this type is %s",
               mu_name_text(c, q->name), mu_type_text(c, out->type));
      return false;
    }
    out->first = build_const(&c->build, out->type->lo);
    out->lo = out->type->lo;
    out->hi = out->type->hi;
    out->count = (uint64_t)(out->type->hi - out->type->lo) + 1;
  }
  if (c->checking)
    out->count = out->count > 1 ? 1 : out->count;
  if (out->count > BUILD_MAX_STEPS)
    build_too_large(&c->build, q->name.at, "a loop has too many values");
  return !c->build.stop;
}

const struct expr *mu_round_value(struct mu_check *c, const struct mu_rounds *rounds, uint64_t i, source_at at) {
  struct builder *b = &c->build;
  if (c->checking)
    return build_temp(b, at, 0, rounds->lo, rounds->hi);
  return build_binary(b, EXPR_ADD, at, rounds->first, build_const(b, (int64_t)i * rounds->step));
}

const struct expr *mu_round_exists(struct mu_check *c, const struct mu_rounds *rounds, const struct expr *value,
                                   source_at at) {
  struct builder *b = &c->build;
  if (!rounds->last)
    return build_const(b, 1);
  return rounds->step > 0 ? build_binary(b, EXPR_LE, at, value, rounds->last)
                          : build_binary(b, EXPR_LE, at, rounds->last, value);
}

/* ---- forall and exists --------------------------------------------------------------------------- */

struct expansion {
  const struct mu_expr *e;
  const struct expr **items;
  size_t n, cap;
  bool failed;
  bool symmetric; /* over the values of a scalarset */
};

static void expand(struct mu_check *c, struct expansion *x, size_t depth);

static void expand_round(struct mu_check *c, struct expansion *x, size_t depth, const struct mu_rounds *rounds,
                         uint64_t i) {
  const struct mu_quantifier *q = &x->e->quantifiers.items[depth];
  const struct expr *value = mu_round_value(c, rounds, i, q->name.at);
  const struct expr *exists = mu_round_exists(c, rounds, value, q->name.at);
  const struct mu_scope scope = mu_open_scope(c);
  const size_t first = x->n;
  mu_declare(c, (struct mu_symbol){.kind = MU_SYMBOL_VALUE, .name = q->name, .type = rounds->type, .value = value});
  expand(c, x, depth + 1);
  mu_close_scope(c, scope);
  const bool all = x->e->op == MU_E_FORALL;
  for (size_t k = first; k < x->n && !is_constant_true(exists); k++)
    x->items[k] = all ? build_binary(&c->build, EXPR_OR, x->e->at, build_not(&c->build, x->e->at, exists), x->items[k])
                      : build_binary(&c->build, EXPR_AND, x->e->at, exists, x->items[k]);
}

static void expand(struct mu_check *c, struct expansion *x, size_t depth) {
  struct mu_rounds rounds;
  if (!build_spend(&c->build, x->e->at, 0, 1))
    return;
  if (depth == x->e->quantifiers.n) {
    c->conditional++;
    const struct expr *item = mu_condition(c, x->e->a);
    c->conditional--;
    x->failed |= item == NULL;
    *ARENA_PUSH(c->build.arena, x->items, x->n, x->cap) = item;
    return;
  }
  if (!mu_rounds_of(c, &x->e->quantifiers.items[depth], &rounds)) {
    x->failed = true;
    return;
  }
  x->symmetric = x->symmetric || mu_is_symmetric(c, rounds.type);
  for (uint64_t i = 0; i < rounds.count && !x->failed && !c->build.stop; i++)
    expand_round(c, x, depth, &rounds, i);
}

struct mu_value mu_quantified(struct mu_check *c, const struct mu_expr *e) {
  struct expansion x = {.e = e};
  const bool all = e->op == MU_E_FORALL;
  if (e->calls && c->block && !c->checking) {
    /* A body with calls is an expression: such functions are expanded without statements. */
    struct mu_block *block = c->block;
    const struct expr *pending = c->pending;
    c->block = NULL;
    c->pending = NULL;
    expand(c, &x, 0);
    c->block = block;
    c->pending = pending;
  } else
    expand(c, &x, 0);
  if (x.failed || c->build.stop)
    return mu_failed();
  if (!x.n)
    return mu_result(&c->boolean, build_const(&c->build, all));
  return mu_result(&c->boolean, mu_all_values(c, x.symmetric, all, e->at, x.items, x.n));
}
