/* Arithmetic is in signed 64 bits; an operation whose result may need more is refused. */
#include "frontend/murphi/murphi_check.h"

static struct mu_value wrong(struct mu_check *c, const struct mu_expr *e, const struct mu_type *t, const char *needed) {
  MU_ERROR(c, e->at, NULL, "'%s' is %s; %s is needed here", mu_expr_text(c, e), mu_type_text(c, t), needed);
  return mu_failed();
}

/* ---- logic --------------------------------------------------------------------------------------- */

/* `e`, evaluated only if `needed` holds, else `otherwise`: with calls by statements. */
static const struct expr *only_if(struct mu_check *c, const struct mu_expr *e, const struct expr *needed,
                                  int64_t otherwise) {
  const size_t slots = c->slot_count, slot = mu_new_slot(c, build_const(&c->build, otherwise));
  struct mu_branch branch;
  mu_branch(c, &branch, needed, e->at);
  c->slots[slot] = mu_freeze(c, mu_condition(c, e), e->at);
  mu_branch_end(c, &branch);
  const struct expr *value = c->slots[slot];
  c->slot_count = slots;
  return value;
}

/* a and b, a or b, a -> b: b is evaluated only if a does not decide. */
static struct mu_value logic(struct mu_check *c, const struct mu_expr *e, bool conjunction, bool implication,
                             const struct expr *left) {
  struct builder *b = &c->build;
  const enum expr_op op = conjunction ? EXPR_AND : EXPR_OR;
  if (implication)
    left = build_not(b, e->at, left);
  if (!left) {
    mu_condition(c, e->b);
    return mu_failed();
  }
  if (e->b->calls && c->block) {
    left = mu_freeze(c, left, e->at);
    return mu_result(&c->boolean,
                     only_if(c, e->b, conjunction ? left : build_not(b, e->at, left), conjunction ? 0 : 1));
  }
  const bool decided = conjunction ? is_constant_false(left) : is_constant_true(left);
  b->dead += decided;
  c->conditional++;
  const struct expr *right = mu_condition(c, e->b);
  c->conditional--;
  b->dead -= decided;
  return mu_result(&c->boolean, build_binary(b, op, e->at, left, right));
}

static struct mu_value conditional(struct mu_check *c, const struct mu_expr *e) {
  struct builder *b = &c->build;
  const struct expr *condition = mu_condition(c, e->a);
  if ((e->b->calls || e->c->calls) && c->block) {
    MU_ERROR(c, e->at, "use 'if'", "'? :' must not contain calls of functions here");
    return mu_failed();
  }
  const bool first = condition && is_constant_true(condition), second = condition && is_constant_false(condition);
  b->dead += second;
  c->conditional++;
  const struct mu_value x = mu_value_of(c, e->b);
  b->dead += first - second;
  const struct mu_value y = mu_value_of(c, e->c);
  c->conditional--;
  b->dead -= first;
  if (!condition || !x.type || !y.type)
    return mu_failed();
  if (!mu_is_scalar(x.type) || !mu_compatible(x.type, y.type) ||
      (x.type != y.type && !(mu_is_number(x.type) && mu_is_number(y.type)))) {
    MU_ERROR(c, e->at, NULL, "the values of '? :' are %s and %s", mu_type_text(c, x.type), mu_type_text(c, y.type));
    return mu_failed();
  }
  return mu_result(x.type == y.type ? x.type : &c->integer, build_cond(b, e->at, condition, x.expr, y.expr));
}

/* ---- comparisons --------------------------------------------------------------------------------- */

struct comparison {
  const struct mu_place *a, *b;
  const struct expr *equal;
  source_at at;
};

/* Parts of records are equal if both are undefined, as well. */
static void compare_scalar(struct mu_check *c, const struct mu_place *scalar, void *data) {
  struct comparison *comparison = data;
  struct mu_place other = *comparison->b;
  const uint32_t inner = scalar->index_count - comparison->a->index_count;
  for (uint32_t i = 0; i < inner; i++)
    other = (struct mu_place){.object = other.object,
                              .type = other.type,
                              .leaf = other.leaf,
                              .indices = mu_element_place(c,
                                                          &(struct mu_place){.object = other.object,
                                                                             .type = &(struct mu_type){0},
                                                                             .indices = other.indices,
                                                                             .index_count = other.index_count},
                                                          scalar->indices[comparison->a->index_count + i])
                                             .indices,
                              .index_count = other.index_count + 1};
  other.leaf += scalar->leaf - comparison->a->leaf;
  other.type = scalar->type;
  const struct expr *same = build_binary(&c->build, EXPR_EQ, comparison->at, mu_read(c, scalar, comparison->at),
                                         mu_read(c, &other, comparison->at));
  comparison->equal = build_binary(&c->build, EXPR_AND, comparison->at, comparison->equal, same);
}

/* The values of a union and of a member, both as ones of the union. */
static const struct expr *aligned(struct mu_check *c, source_at at, const struct mu_value *x,
                                  const struct mu_value *other, const char *text) {
  return other->type->kind == MU_UNION ? mu_converted(c, at, text, x->expr, x->type, other->type) : x->expr;
}

const struct expr *mu_equal(struct mu_check *c, source_at at, const struct mu_value *x, const struct mu_value *y,
                            const char *x_text, const char *y_text) {
  if (!x->type || !y->type)
    return NULL;
  if (!mu_compatible(x->type, y->type)) {
    MU_ERROR(c, at, NULL, "'%s' is %s and '%s' is %s: they cannot be compared", x_text, mu_type_text(c, x->type),
             y_text, mu_type_text(c, y->type));
    return NULL;
  }
  if (x->type->multisets) {
    MU_ERROR(c, at, "compare what multisetcount gives", "multisets cannot be compared");
    return NULL;
  }
  if (mu_is_scalar(x->type))
    return build_binary(&c->build, EXPR_EQ, at, aligned(c, at, x, y, x_text), aligned(c, at, y, x, y_text));
  struct comparison comparison = {&x->place, &y->place, build_const(&c->build, 1), at};
  mu_each_scalar(c, &x->place, compare_scalar, &comparison);
  return comparison.equal;
}

/* The left operand, which later statements do not change. */
static struct mu_value left_operand(struct mu_check *c, const struct mu_expr *e) {
  struct mu_value x = mu_compared_value(c, e->a);
  if (x.type && e->b->calls && mu_is_scalar(x.type))
    x.expr = mu_freeze(c, x.expr, e->at);
  return x;
}

static struct mu_value equality(struct mu_check *c, const struct mu_expr *e) {
  const struct mu_value x = left_operand(c, e), y = mu_compared_value(c, e->b);
  const struct expr *equal = mu_equal(c, e->at, &x, &y, mu_expr_text(c, e->a), mu_expr_text(c, e->b));
  return mu_result(&c->boolean, e->op == MU_E_EQ ? equal : build_not(&c->build, e->at, equal));
}

/* ---- numbers ------------------------------------------------------------------------------------- */

static struct mu_value numbers(struct mu_check *c, const struct mu_expr *e, const struct expr *x,
                               const struct expr *y) {
  struct builder *b = &c->build;
  switch (e->op) {
  case MU_E_ADD:
    return mu_result(&c->integer, build_binary(b, EXPR_ADD, e->at, x, y));
  case MU_E_SUB:
    return mu_result(&c->integer, build_binary(b, EXPR_SUB, e->at, x, y));
  case MU_E_MUL:
    return mu_result(&c->integer, build_binary(b, EXPR_MUL, e->at, x, y));
  case MU_E_DIV:
  case MU_E_MOD:
    return mu_result(&c->integer,
                     build_division(b, e->op == MU_E_DIV ? EXPR_DIV : EXPR_MOD, e->at, x, y, mu_expr_text(c, e->b)));
  case MU_E_SHL:
  case MU_E_SHR:
    return mu_result(&c->integer,
                     build_shift(b, e->op == MU_E_SHL ? EXPR_SHL : EXPR_SHR, e->at, x, y, mu_expr_text(c, e->b)));
  case MU_E_BITAND:
    return mu_result(&c->integer, build_binary(b, EXPR_BITAND, e->at, x, y));
  case MU_E_BITOR:
    return mu_result(&c->integer, build_binary(b, EXPR_BITOR, e->at, x, y));
  case MU_E_BITXOR:
    return mu_result(&c->integer, build_binary(b, EXPR_BITXOR, e->at, x, y));
  case MU_E_LT:
    return mu_result(&c->boolean, build_binary(b, EXPR_LT, e->at, x, y));
  case MU_E_LE:
    return mu_result(&c->boolean, build_binary(b, EXPR_LE, e->at, x, y));
  case MU_E_GT:
    return mu_result(&c->boolean, build_reversed(b, EXPR_LT, e->at, x, y));
  default:
    return mu_result(&c->boolean, build_reversed(b, EXPR_LE, e->at, x, y));
  }
}

/* `&` and `|` are of truth values or of numbers. */
static struct mu_value binary(struct mu_check *c, const struct mu_expr *e) {
  const struct mu_value x = left_operand(c, e);
  const bool bits = e->op == MU_E_BITAND || e->op == MU_E_BITOR;
  if (x.type && x.type->kind == MU_BOOLEAN && bits)
    return logic(c, e, e->op == MU_E_BITAND, false, x.expr);
  const struct mu_value y = mu_value_of(c, e->b);
  if (!x.type || !y.type)
    return mu_failed();
  if (!mu_is_number(x.type))
    return wrong(c, e->a, x.type, bits ? "a number or a truth value" : "a number");
  if (!mu_is_number(y.type))
    return wrong(c, e->b, y.type, "a number");
  return numbers(c, e, x.expr, y.expr);
}

static struct mu_value unary_number(struct mu_check *c, const struct mu_expr *e) {
  const struct mu_value x = mu_value_of(c, e->a);
  if (!x.type)
    return x;
  if (!mu_is_number(x.type))
    return wrong(c, e->a, x.type, "a number");
  return mu_result(&c->integer, e->op == MU_E_NEG ? build_negative(&c->build, e->at, x.expr)
                                                  : build_bitnot(&c->build, e->at, x.expr));
}

struct mu_value mu_operator(struct mu_check *c, const struct mu_expr *e) {
  switch (e->op) {
  case MU_E_NOT:
    return mu_result(&c->boolean, build_not(&c->build, e->at, mu_condition(c, e->a)));
  case MU_E_NEG:
  case MU_E_BITNOT:
    return unary_number(c, e);
  case MU_E_AND:
  case MU_E_OR:
  case MU_E_IMPLIES:
    return logic(c, e, e->op == MU_E_AND, e->op == MU_E_IMPLIES, mu_condition(c, e->a));
  case MU_E_COND:
    return conditional(c, e);
  case MU_E_EQ:
  case MU_E_NE:
    return equality(c, e);
  default:
    return binary(c, e);
  }
}
