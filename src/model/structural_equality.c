#include "model/structural_equality.h"

bool same_expr(const struct expr *a, const struct expr *b) {
  if (a == b || !a || !b)
    return a == b;
  return a->op == b->op && a->lo == b->lo && a->hi == b->hi && a->value == b->value && a->id == b->id &&
         a->site == b->site && a->can_fail == b->can_fail && same_expr(a->a, b->a) && same_expr(a->b, b->b) &&
         same_expr(a->c, b->c);
}

bool same_statement(const struct statement *a, const struct statement *b) {
  if (a->op != b->op || a->id != b->id || a->site != b->site || a->then_count != b->then_count ||
      a->else_count != b->else_count || !same_expr(a->index, b->index) || !same_expr(a->value, b->value))
    return false;
  for (size_t i = 0; i < statement_inner_count(a); i++)
    if (!same_statement(&a->then[i], &b->then[i]))
      return false;
  return true;
}
