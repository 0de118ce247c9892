#include "frontend/promela/parse/promela_condition.h"

struct condition {
  const struct source *source;
  floe_log *log;
  const struct pr_tokens *line;
  size_t i;
  unsigned nesting;
  unsigned dead; /* operands around it that are not evaluated */
  bool failed;
};

#define CONDITION_FAIL(c, at, hint, ...)                                                                               \
  do {                                                                                                                 \
    if (!(c)->failed)                                                                                                  \
      diag_error((c)->log, (c)->source, (at), (hint), __VA_ARGS__);                                                    \
    (c)->failed = true;                                                                                                \
  } while (0)

static bool sees(const struct condition *c, enum pr_token_kind kind) {
  return c->i < c->line->n && c->line->items[c->i].kind == kind;
}

static int64_t condition_value(struct condition *c, unsigned level);

static int64_t condition_operand(struct condition *c, source_at at) {
  const struct pr_token *t = c->i < c->line->n ? &c->line->items[c->i] : NULL;
  if (++c->nesting > PR_MAX_NESTING)
    CONDITION_FAIL(c, at, NULL, "the condition is nested more than %d deep", PR_MAX_NESTING);
  int64_t value = 0;
  if (c->failed)
    return 0;
  if (!t) {
    CONDITION_FAIL(c, at, NULL, "a number or name is missing in the condition");
    return 0;
  }
  c->i++;
  switch (t->kind) {
  case PR_NUMBER:
    value = t->value;
    break;
  case PR_NOT:
    value = !condition_operand(c, t->begin);
    break;
  case PR_SORTED_SEND: /* !! */
    value = condition_operand(c, t->begin) != 0;
    break;
  case PR_PLUS:
    value = condition_operand(c, t->begin);
    break;
  case PR_MINUS:
    value = (int64_t)(0 - (uint64_t)condition_operand(c, t->begin));
    break;
  case PR_TILDE:
    value = ~condition_operand(c, t->begin);
    break;
  case PR_OPEN:
    value = condition_value(c, 0);
    if (!sees(c, PR_CLOSE))
      CONDITION_FAIL(c, t->begin, NULL, "the bracket is not closed");
    c->i++;
    break;
  default:
    value = t->kind == PR_W_TRUE;
    if (!pr_is_nameable(t))
      CONDITION_FAIL(c, t->begin, NULL, "expected a number or name in the condition, found '%s'", t->text);
  }
  c->nesting--;
  return value;
}

static int64_t apply(struct condition *c, const struct pr_token *t, int64_t a, int64_t b) {
  const uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch (t->kind) {
  case PR_OR:
    return a || b;
  case PR_AND:
    return a && b;
  case PR_BAR:
    return a | b;
  case PR_CARET:
    return a ^ b;
  case PR_AMPERSAND:
    return a & b;
  case PR_EQ:
    return a == b;
  case PR_NE:
    return a != b;
  case PR_LT:
    return a < b;
  case PR_LE:
    return a <= b;
  case PR_GT:
    return a > b;
  case PR_GE:
    return a >= b;
  case PR_SHL:
    return y < 64 ? (int64_t)(x << y) : 0;
  case PR_SHR:
    return y < 64 ? a >> y : 0;
  case PR_PLUS:
    return (int64_t)(x + y);
  case PR_MINUS:
    return (int64_t)(x - y);
  case PR_STAR:
    return (int64_t)(x * y);
  default:
    if (b == 0 || (b == -1 && a == INT64_MIN)) {
      if (!c->dead)
        CONDITION_FAIL(c, t->begin, NULL, "division by 0 in the condition");
      return 0;
    }
    return t->kind == PR_SLASH ? a / b : a % b;
  }
}

static int64_t condition_value(struct condition *c, unsigned level) {
  const source_at at = c->line->n ? c->line->items[0].begin : NOWHERE;
  int64_t value = condition_operand(c, at);
  while (!c->failed && c->i < c->line->n) {
    const struct pr_token *t = &c->line->items[c->i];
    const unsigned own = pr_binary_level(t->kind);
    if (own <= level)
      break;
    const bool decided = (t->kind == PR_AND && !value) || (t->kind == PR_OR && value);
    c->i++;
    c->dead += decided;
    const int64_t right = condition_value(c, own);
    c->dead -= decided;
    value = apply(c, t, value, right);
  }
  return value;
}

bool pr_condition(const struct source *source, floe_log *log, const struct pr_tokens *line, source_at at, bool *out) {
  struct condition c = {.source = source, .log = log, .line = line};
  if (!line->n)
    CONDITION_FAIL(&c, at, NULL, "the condition is missing");
  const int64_t value = c.failed ? 0 : condition_value(&c, 0);
  if (!c.failed && c.i < line->n)
    CONDITION_FAIL(&c, line->items[c.i].begin, NULL, "expected an operator in the condition, found '%s'",
                   line->items[c.i].text);
  *out = value != 0;
  return !c.failed;
}
