/* The largest parts of the text without temporal operators are atoms: Boolean expressions over a state. */
#include "frontend/check/check_temporal.h"

#include "frontend/expr/check_expr.h"
#include "frontend/expr/check_names.h"
#include "frontend/parse/source_text.h"
#include "logic/formula.h"
#include "model/structural_equality.h"

struct lowering {
  struct check *c;
  struct formulas *set;
  const struct expr **atoms; /* [LOGIC_MAX_ATOMS] */
  const char **texts;        /* [LOGIC_MAX_ATOMS] */
  size_t atom_count;
};

static const struct formula *formula_of(struct lowering *l, struct scope *s, const struct syntax_expr *e);

static bool is_temporal(const struct syntax_expr *e) {
  if (!e)
    return false;
  for (size_t i = 0; i < e->arguments.n; i++)
    if (is_temporal(e->arguments.items[i]))
      return true;
  return e->op >= SYN_ALWAYS || is_temporal(e->a) || is_temporal(e->b) || is_temporal(e->c) ||
         is_temporal(e->range.lo) || is_temporal(e->range.hi);
}

/* ---- atoms ------------------------------------------------------------------------------------- */

/* Atoms of a quantifier differ in its values: their text is that of the ground model. */
static const char *atom_text(const struct scope *s, const struct syntax_expr *e, const struct expr *expr) {
  const struct builder *b = &s->check->build;
  return s->bindings ? expr_text(b->model, expr, b->arena) : source_excerpt_text(b->source, e, b->arena);
}

static const struct formula *add_atom(struct lowering *l, const struct scope *s, const struct syntax_expr *e,
                                      const struct expr *expr) {
  for (uint32_t i = 0; i < l->atom_count; i++)
    if (same_expr(l->atoms[i], expr))
      return formula_atom(l->set, i);
  if (l->atom_count == LOGIC_MAX_ATOMS) {
    CHECK_ERROR(l->c, e->at, "divide it into several properties", "the property has more than %d different conditions",
                LOGIC_MAX_ATOMS);
    return NULL;
  }
  l->texts[l->atom_count] = atom_text(s, e, expr);
  l->atoms[l->atom_count] = expr;
  return formula_atom(l->set, (uint32_t)l->atom_count++);
}

static const struct formula *atom(struct lowering *l, struct scope *s, const struct syntax_expr *e) {
  const struct expr *lowered = lower(s, e), *expr = lowered ? build_truth(&l->c->build, lowered) : NULL;
  if (!expr)
    return NULL;
  if (l->c->build.dead) /* it is only checked */
    return formula_constant(l->set, false);
  if (expr->can_fail) {
    CHECK_ERROR(l->c, e->at, "bound the index or divisor, for example a[min(i, 2)]",
                "a condition of a temporal property must not fail, and this one can");
    return NULL;
  }
  if (expr->op == EXPR_CONST)
    return formula_constant(l->set, expr->value != 0);
  return add_atom(l, s, e, expr);
}

/* ---- operators --------------------------------------------------------------------------------- */

static const struct formula *implication(struct formulas *set, const struct formula *a, const struct formula *b) {
  return formula_or(set, formula_not(set, a), b);
}

static const struct formula *equivalence(struct formulas *set, const struct formula *a, const struct formula *b) {
  return formula_and(set, implication(set, a, b), implication(set, b, a));
}

static const struct formula *unary(struct lowering *l, enum syntax_op op, const struct formula *a) {
  switch (op) {
  case SYN_NOT:
    return formula_not(l->set, a);
  case SYN_ALWAYS:
    return formula_always(l->set, a);
  case SYN_EVENTUALLY:
    return formula_eventually(l->set, a);
  default:
    return formula_next(l->set, a);
  }
}

static const struct formula *binary(struct lowering *l, enum syntax_op op, const struct formula *a,
                                    const struct formula *b) {
  switch (op) {
  case SYN_AND:
    return formula_and(l->set, a, b);
  case SYN_OR:
    return formula_or(l->set, a, b);
  case SYN_IMPLIES:
    return implication(l->set, a, b);
  case SYN_EQ:
    return equivalence(l->set, a, b);
  case SYN_NE:
    return formula_not(l->set, equivalence(l->set, a, b));
  case SYN_UNTIL:
    return formula_until(l->set, a, b);
  case SYN_WEAK_UNTIL:
    return formula_weak_until(l->set, a, b);
  case SYN_RELEASE:
    return formula_release(l->set, a, b);
  default: /* SYN_LEADSTO */
    return formula_always(l->set, implication(l->set, a, formula_eventually(l->set, b)));
  }
}

static const struct formula *instance(struct lowering *l, struct scope *s, const struct syntax_expr *e, int64_t value) {
  struct binding binding = {e->name, build_const(&l->c->build, value), s->bindings};
  if (!binding.value || !build_spend(&l->c->build, e->at, 1, 1))
    return NULL;
  s->bindings = &binding;
  const struct formula *body = formula_of(l, s, e->a);
  s->bindings = binding.outer;
  return body;
}

/* The body of a quantifier over an empty range is only checked. */
static const struct formula *no_instance(struct lowering *l, struct scope *s, const struct syntax_expr *e,
                                         int64_t value) {
  l->c->build.dead++;
  const struct formula *body = instance(l, s, e, value);
  l->c->build.dead--;
  return body ? formula_constant(l->set, e->op == SYN_ALL) : NULL;
}

static const struct formula *quantified(struct lowering *l, struct scope *s, const struct syntax_expr *e) {
  int64_t lo, hi;
  const bool all = e->op == SYN_ALL;
  const struct formula *result = formula_constant(l->set, all);
  scope_warn_hidden(s, e->name, e->name_at);
  if (!constant_range(s, &e->range, &lo, &hi))
    return NULL;
  if (lo > hi || l->c->build.dead)
    return no_instance(l, s, e, lo);
  for (int64_t i = lo;; i++) {
    const struct formula *body = instance(l, s, e, i);
    if (!body)
      return NULL;
    result = all ? formula_and(l->set, result, body) : formula_or(l->set, result, body);
    if (i == hi || body->op == (all ? FORMULA_FALSE : FORMULA_TRUE)) /* the others do not matter */
      return result;
  }
}

/* ---- formulas ---------------------------------------------------------------------------------- */

/* A formula is 0 or 1: what it is compared with must be, too. */
static bool is_truth(struct scope *s, const struct syntax_expr *e) {
  if (is_temporal(e))
    return true;
  const struct expr *value = lower(s, e);
  if (value && !within(value, 0, 1))
    CHECK_ERROR(s->check, e->start, "write brackets, as in always (x == 3)",
                "a temporal formula is compared with a number that is no truth value");
  return value && within(value, 0, 1);
}

/* The right operand is only checked if the left one, a constant, decides the result: see lower_dead. */
static const struct formula *right_operand(struct lowering *l, struct scope *s, const struct syntax_expr *e,
                                           const struct formula *a) {
  const bool dead = a && ((e->op == SYN_OR && a->op == FORMULA_TRUE) ||
                          ((e->op == SYN_AND || e->op == SYN_IMPLIES) && a->op == FORMULA_FALSE));
  const size_t constants = l->c->constants.read;
  l->c->build.dead += dead;
  const struct formula *b = formula_of(l, s, e->b);
  l->c->build.dead -= dead;
  if (dead)
    l->c->constants.read = constants;
  return b;
}

static bool joins_formulas(enum syntax_op op) {
  return op == SYN_AND || op == SYN_OR || op == SYN_IMPLIES || op == SYN_EQ || op == SYN_NE || op >= SYN_UNTIL;
}

/* `not` is part of the formula, not of an atom, so that p and not p are one atom. */
static const struct formula *formula_of(struct lowering *l, struct scope *s, const struct syntax_expr *e) {
  if (e->op != SYN_NOT && !is_temporal(e))
    return atom(l, s, e);
  if (e->op == SYN_ALL || e->op == SYN_EXISTS)
    return quantified(l, s, e);
  const bool is_unary = e->op == SYN_NOT || e->op == SYN_ALWAYS || e->op == SYN_EVENTUALLY || e->op == SYN_NEXT;
  if (!is_unary && !joins_formulas(e->op)) {
    CHECK_ERROR(l->c, e->at, "formulas are joined by not, and, or, implies, == and !=, and by all and exists",
                "an operand of this operator cannot have a temporal operator");
    return NULL;
  }
  const struct formula *a = formula_of(l, s, e->a), *b = is_unary ? a : right_operand(l, s, e, a);
  if (!a || !b || ((e->op == SYN_EQ || e->op == SYN_NE) && (!is_truth(s, e->a) || !is_truth(s, e->b))))
    return NULL;
  return is_unary ? unary(l, e->op, a) : binary(l, e->op, a, b);
}

const struct temporal *temporal_lower(struct check *c, const struct syntax_expr *e, const char *fairness) {
  struct scope s = {.check = c};
  struct arena *arena = c->build.arena;
  struct lowering l = {.c = c, .set = formulas_create(arena)};
  l.atoms = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *l.atoms);
  l.texts = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *l.texts);
  const struct formula *formula = formula_of(&l, &s, e);
  if (!formula)
    return NULL;
  struct temporal *temporal = arena_alloc(arena, sizeof *temporal);
  *temporal = (struct temporal){.formulas = l.set,
                                .formula = formula,
                                .atoms = l.atoms,
                                .atom_texts = l.texts,
                                .atom_count = l.atom_count,
                                .fairness = fairness};
  return temporal;
}
