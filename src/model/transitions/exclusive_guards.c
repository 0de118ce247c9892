#include "model/transitions/exclusive_guards.h"

#include "model/structural_equality.h"

/* Possible orders of two values. */
enum { LESS = 1, EQUAL = 2, MORE = 4, ANYHOW = LESS | EQUAL | MORE };

/* a compares to b in one of these ways; b NULL: to 0. */
struct comparison {
  const struct expr *a, *b;
  unsigned ways;
};

static struct comparison swapped_orders(struct comparison c) {
  const unsigned ways = (c.ways & EQUAL) | (c.ways & LESS ? (unsigned)MORE : 0) | (c.ways & MORE ? (unsigned)LESS : 0);
  return (struct comparison){c.b, c.a, ways};
}

/* The orders of the operands for which the comparison is true; 0: not a comparison. */
static unsigned ways_of(enum expr_op op) {
  switch (op) {
  case EXPR_LT:
    return LESS;
  case EXPR_LE:
    return LESS | EQUAL;
  case EXPR_EQ:
    return EQUAL;
  case EXPR_NE:
    return LESS | MORE;
  default:
    return 0;
  }
}

/* The comparison that holds if the expression is true; a constant becomes the right side. */
static struct comparison comparison_of(const struct expr *e) {
  bool truth = true;
  for (; e->op == EXPR_NOT; e = e->a)
    truth = !truth;
  const unsigned ways = ways_of(e->op);
  struct comparison c = ways ? (struct comparison){e->a, e->b, ways} : (struct comparison){e, NULL, LESS | MORE};
  if (!truth)
    c.ways ^= ANYHOW;
  return c.b && c.a->op == EXPR_CONST ? swapped_orders(c) : c;
}

static bool is_constant_expr(const struct expr *e) { return !e || e->op == EXPR_CONST; }
static int64_t constant_side(const struct expr *e) { return e ? e->value : 0; }

/* True if some value compares to the two constants, low <= high, in one of the given ways each. */
static bool some_value(int64_t low, unsigned to_low, int64_t high, unsigned to_high) {
  if (low == high)
    return to_low & to_high;
  const bool between = (uint64_t)high - (uint64_t)low > 1 && to_low & MORE && to_high & LESS;
  return (to_low & LESS && to_high & LESS) || (to_low & EQUAL && to_high & LESS) || between ||
         (to_low & MORE && to_high & EQUAL) || (to_low & MORE && to_high & MORE);
}

static bool comparisons_exclude(struct comparison p, struct comparison q) {
  if (same_expr(p.a, q.a) && is_constant_expr(p.b) && is_constant_expr(q.b))
    return constant_side(p.b) <= constant_side(q.b)
               ? !some_value(constant_side(p.b), p.ways, constant_side(q.b), q.ways)
               : !some_value(constant_side(q.b), q.ways, constant_side(p.b), p.ways);
  if (same_expr(p.a, q.a) && same_expr(p.b, q.b))
    return !(p.ways & q.ways);
  if (q.b && same_expr(p.a, q.b) && same_expr(p.b, q.a))
    return !(p.ways & swapped_orders(q).ways);
  return false;
}

/* True if p and q are never both true. */
static bool expressions_exclude(const struct expr *p, const struct expr *q, uint64_t *work) {
  if (*work == 0)
    return false;
  --*work;
  if (p->op == EXPR_AND)
    return expressions_exclude(p->a, q, work) || expressions_exclude(p->b, q, work);
  if (q->op == EXPR_AND)
    return expressions_exclude(p, q->a, work) || expressions_exclude(p, q->b, work);
  if (p->op == EXPR_OR)
    return expressions_exclude(p->a, q, work) && expressions_exclude(p->b, q, work);
  if (q->op == EXPR_OR)
    return expressions_exclude(p, q->a, work) && expressions_exclude(p, q->b, work);
  return comparisons_exclude(comparison_of(p), comparison_of(q));
}

static bool locations_exclude(const struct transition *a, const struct transition *b) {
  for (size_t i = 0; i < a->test_count; i++)
    for (size_t k = 0; k < b->test_count; k++)
      if (a->tests[i].variable == b->tests[k].variable && a->tests[i].element == b->tests[k].element &&
          a->tests[i].location != b->tests[k].location)
        return true;
  return false;
}

/* A select or temporary has another value in another transition, so only expressions over the state are compared. */
static bool is_of_state(const struct expr *e) {
  return !e ||
         (e->op != EXPR_SELECT && e->op != EXPR_TEMP && is_of_state(e->a) && is_of_state(e->b) && is_of_state(e->c));
}

bool transitions_exclude(const struct transition *a, const struct transition *b, uint64_t *work) {
  if (locations_exclude(a, b))
    return true;
  for (size_t i = 0; i<a->guard_count && * work> 0; i++)
    for (size_t k = 0; k<b->guard_count && * work> 0; k++)
      if (expressions_exclude(a->guards[i], b->guards[k], work) && is_of_state(a->guards[i]) &&
          is_of_state(b->guards[k]))
        return true;
  return false;
}
