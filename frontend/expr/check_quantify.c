#include "frontend/expr/check_quantify.h"

#include "frontend/expr/check_names.h"

struct items {
  const struct expr **all;
  size_t n, cap;
};

static const struct expr *lower_body(struct scope *s, const struct syntax_expr *e, int64_t value) {
  struct binding binding = {e->name, build_const(&s->check->build, value), s->bindings};
  if (!binding.value)
    return NULL;
  s->bindings = &binding;
  const struct expr *body = s->check->lower(s, e->a);
  s->bindings = binding.outer;
  if (body && e->op != SYN_SUM && e->op != SYN_MIN_OF && e->op != SYN_MAX_OF)
    body = build_truth(&s->check->build, body);
  return body;
}

/* True if `body` decides the result, so that the rest cannot matter. */
static bool decides(const struct syntax_expr *e, const struct expr *body) {
  return (e->op == SYN_ALL && is_constant_false(body)) || (e->op == SYN_EXISTS && is_constant_true(body));
}

static bool is_neutral(const struct syntax_expr *e, const struct expr *body) {
  return body->op == EXPR_CONST && e->op != SYN_MIN_OF && e->op != SYN_MAX_OF && body->value == (e->op == SYN_ALL);
}

static const struct expr *combine(struct check *c, const struct syntax_expr *e, const struct items *items) {
  static const enum expr_op ops[] = {[SYN_ALL] = EXPR_AND, [SYN_EXISTS] = EXPR_OR,  [SYN_COUNT] = EXPR_ADD,
                                     [SYN_SUM] = EXPR_ADD, [SYN_MIN_OF] = EXPR_MIN, [SYN_MAX_OF] = EXPR_MAX};
  if (!items->n)
    return build_const(&c->build, e->op == SYN_ALL);
  return build_all(&c->build, ops[e->op], e->at, items->all, items->n);
}

/* The body of a quantifier over an empty range is checked as a dead operand. */
static const struct expr *empty_quantifier(struct scope *s, const struct syntax_expr *e, int64_t value) {
  struct check *c = s->check;
  c->build.dead++;
  const struct expr *body = lower_body(s, e, value);
  c->build.dead--;
  if (!body)
    return NULL;
  if ((e->op == SYN_MIN_OF || e->op == SYN_MAX_OF) && !c->build.dead) {
    CHECK_ERROR(c, e->at, NULL, "%s over an empty range", e->op == SYN_MIN_OF ? "min" : "max");
    return NULL;
  }
  return build_const(&c->build, e->op == SYN_ALL);
}

const struct expr *quantify(struct scope *s, const struct syntax_expr *e, int64_t lo, int64_t hi) {
  struct check *c = s->check;
  struct items items = {0};
  if (lo > hi || c->build.dead) /* dead: one instance of the body is enough */
    return empty_quantifier(s, e, lo);
  if ((uint64_t)hi - (uint64_t)lo >= BUILD_MAX_STEPS) {
    build_too_large(&c->build, e->at, "this quantifier has too many values");
    return NULL;
  }
  for (int64_t i = lo;; i++) {
    const struct expr *body = lower_body(s, e, i);
    if (!body)
      return NULL;
    if (!is_neutral(e, body) && build_spend(&c->build, e->at, 1, 0))
      *ARENA_PUSH(c->build.arena, items.all, items.n, items.cap) = body;
    if (i == hi || decides(e, body))
      break;
  }
  return combine(c, e, &items);
}
