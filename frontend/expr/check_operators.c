#include "frontend/expr/check_operators.h"

#include "frontend/expr/check_names.h"
#include "frontend/parse/source_text.h"
#include "model/bit_intervals.h"

static enum expr_op binary_op(enum syntax_op op) {
  static const enum expr_op all[] = {
      [SYN_ADD] = EXPR_ADD,       [SYN_SUB] = EXPR_SUB,     [SYN_MUL] = EXPR_MUL, [SYN_DIV] = EXPR_DIV,
      [SYN_MOD] = EXPR_MOD,       [SYN_SHL] = EXPR_SHL,     [SYN_SHR] = EXPR_SHR, [SYN_BITAND] = EXPR_BITAND,
      [SYN_BITXOR] = EXPR_BITXOR, [SYN_BITOR] = EXPR_BITOR, [SYN_LT] = EXPR_LT,   [SYN_GT] = EXPR_LT,
      [SYN_LE] = EXPR_LE,         [SYN_GE] = EXPR_LE,       [SYN_EQ] = EXPR_EQ,   [SYN_NE] = EXPR_NE,
      [SYN_MIN] = EXPR_MIN,       [SYN_MAX] = EXPR_MAX,
  };
  return all[op];
}

#define EVALUATED "an error of the model where it is evaluated"

/* Division by zero: an error of the check where a constant is required, otherwise an error of the model when
   evaluated. */
static const struct expr *divide(const struct scope *s, const struct syntax_expr *e, const struct expr *a,
                                 const struct expr *b) {
  struct check *c = s->check;
  const char *what = NULL;
  if (build_divides_by_zero(&c->build, b)) {
    what = source_excerpt_short(c->build.source, e->b, c->build.arena);
    bool always = b->lo == 0 && b->hi == 0;
    if (always && s->constant) {
      CHECK_ERROR(c, e->at, NULL, "division by zero");
      return NULL;
    }
    if (always && first_warning(c, e->at))
      CHECK_WARN(c, e->at, EVALUATED, "division by zero: %s", what);
  }
  return build_division(&c->build, binary_op(e->op), e->at, a, b, what);
}

static const struct expr *build_checked_shift(const struct scope *s, const struct syntax_expr *e, const struct expr *a,
                                              const struct expr *b) {
  struct check *c = s->check;
  const char *what = NULL;
  if (build_shifts_outside(&c->build, b)) {
    what = source_excerpt_short(c->build.source, e->b, c->build.arena);
    bool never = b->hi < 0 || b->lo > SHIFT_MAX;
    if (never && s->constant) {
      CHECK_ERROR(c, e->at, NULL, "shift by %lld: it must be within 0..%d", (long long)b->lo, SHIFT_MAX);
      return NULL;
    }
    if (never && first_warning(c, e->at))
      CHECK_WARN(c, e->at, EVALUATED, "shift by %s, which is outside 0..%d", what, SHIFT_MAX);
  }
  return build_shift(&c->build, binary_op(e->op), e->at, a, b, what);
}

const struct expr *operator_build(const struct scope *s, const struct syntax_expr *e, const struct expr *a,
                                  const struct expr *b) {
  struct builder *build = &s->check->build;
  switch (e->op) {
  case SYN_DIV:
  case SYN_MOD:
    return a ? divide(s, e, a, b) : NULL;
  case SYN_SHL:
  case SYN_SHR:
    return a ? build_checked_shift(s, e, a, b) : NULL;
  case SYN_GT:
  case SYN_GE:
    return build_reversed(build, binary_op(e->op), e->at, a, b);
  default:
    return build_binary(build, binary_op(e->op), e->at, a, b);
  }
}
