/* Expressions. From weakest to strongest: ?:, ->, |, &, !, comparisons, shifts, + and -, *, / and %, unary -. */
#include "frontend/murphi/parse/murphi_parser.h"

#define MAX_DEPTH 1000

static struct mu_expr *node(struct mu_parser *p, enum mu_op op, source_at at) {
  struct mu_expr *e = arena_alloc(p->arena, sizeof *e);
  *e = (struct mu_expr){.op = op, .at = at, .start = at, .end = p->token.end, .depth = 1};
  return e;
}

static const struct mu_expr *complete(struct mu_parser *p, struct mu_expr *e) {
  const struct mu_expr *parts[] = {e->a, e->b, e->c};
  for (size_t i = 0; i < 3; i++)
    if (parts[i]) {
      e->depth = parts[i]->depth >= e->depth ? parts[i]->depth + 1 : e->depth;
      e->calls |= parts[i]->calls;
    }
  for (size_t i = 0; i < e->arguments.n; i++) {
    const struct mu_expr *argument = e->arguments.items[i];
    e->depth = argument && argument->depth >= e->depth ? argument->depth + 1 : e->depth;
  }
  e->end = p->last_end;
  if (e->depth > MAX_DEPTH)
    MU_SYNTAX_ERROR(p, e->at, "use a function for parts of it", "the expression is more than %d operators deep",
                    MAX_DEPTH);
  return e;
}

static const struct mu_expr *binary(struct mu_parser *p, enum mu_op op, source_at at, const struct mu_expr *a,
                                    const struct mu_expr *b) {
  struct mu_expr *e = node(p, op, at);
  if (!a || !b)
    return NULL;
  e->a = a;
  e->b = b;
  e->start = a->start;
  return complete(p, e);
}

static const struct mu_expr *unary(struct mu_parser *p, enum mu_op op, source_at at, const struct mu_expr *a) {
  struct mu_expr *e = node(p, op, at);
  if (!a)
    return NULL;
  e->a = a;
  return complete(p, e);
}

/* ---- names --------------------------------------------------------------------------------------- */

void mu_parse_arguments(struct mu_parser *p, struct mu_exprs *out) {
  mu_expect(p, MU_OPEN);
  if (mu_accept(p, MU_CLOSE))
    return;
  do {
    const struct mu_expr *e = mu_parse_expression(p);
    *ARENA_PUSH(p->arena, out->items, out->n, out->cap) = e;
  } while (mu_accept(p, MU_COMMA));
  mu_expect(p, MU_CLOSE);
}

static const struct mu_expr *parse_suffixes(struct mu_parser *p, const struct mu_expr *e) {
  while (e && !p->panic && (p->token.kind == MU_DOT || p->token.kind == MU_OPEN_INDEX)) {
    struct mu_expr *next = node(p, p->token.kind == MU_DOT ? MU_E_FIELD : MU_E_INDEX, p->token.begin);
    next->a = e;
    next->start = e->start;
    if (mu_accept(p, MU_DOT)) {
      next->name = mu_parse_name(p, "the name of a field");
      e = complete(p, next);
      continue;
    }
    mu_advance(p);
    next->b = mu_parse_expression(p);
    mu_expect(p, MU_CLOSE_INDEX);
    e = next->b ? complete(p, next) : NULL;
  }
  return e;
}

const struct mu_expr *mu_parse_designator(struct mu_parser *p) {
  struct mu_expr *e = node(p, MU_E_NAME, p->token.begin);
  e->name = mu_parse_name(p, "the name of a variable");
  return p->panic ? NULL : parse_suffixes(p, complete(p, e));
}

static const struct mu_expr *parse_name(struct mu_parser *p) {
  struct mu_expr *e = node(p, MU_E_NAME, p->token.begin);
  e->name = mu_parse_name(p, "a name");
  if (mu_sees(p, MU_OPEN)) {
    e->op = MU_E_CALL;
    e->calls = p->calls = true;
    mu_parse_arguments(p, &e->arguments);
  }
  return p->panic ? NULL : parse_suffixes(p, complete(p, e));
}

/* ---- quantifiers --------------------------------------------------------------------------------- */

struct mu_quantifier mu_parse_quantifier(struct mu_parser *p) {
  struct mu_quantifier q = {.name = mu_parse_name(p, "the name of a variable")};
  if (mu_accept(p, MU_COLON)) {
    q.type = mu_parse_type(p);
    return q;
  }
  if (!mu_accept(p, MU_BECOMES))
    mu_expected(p, "':' and a type, or ':=' and values", NULL);
  q.from = mu_parse_expression(p);
  mu_expect(p, MU_W_TO);
  q.to = mu_parse_expression(p);
  if (mu_accept(p, MU_W_BY))
    q.by = mu_parse_expression(p);
  return q;
}

void mu_parse_quantifiers(struct mu_parser *p, struct mu_quantifiers *out) {
  do {
    const struct mu_quantifier q = mu_parse_quantifier(p);
    *MU_PUSH(p, out) = q;
    mu_skip_semicolons(p);
  } while (mu_sees(p, MU_NAME));
}

static const struct mu_expr *parse_quantified(struct mu_parser *p) {
  const bool all = p->token.kind == MU_W_FORALL;
  struct mu_expr *e = node(p, all ? MU_E_FORALL : MU_E_EXISTS, p->token.begin);
  mu_advance(p);
  mu_parse_quantifiers(p, &e->quantifiers);
  mu_expect(p, MU_W_DO);
  e->a = mu_parse_expression(p);
  mu_skip_semicolons(p);
  mu_expect_end(p, all ? MU_W_ENDFORALL : MU_W_ENDEXISTS);
  return e->a ? complete(p, e) : NULL;
}

/* ---- primaries ----------------------------------------------------------------------------------- */

static const struct mu_expr *parse_literal(struct mu_parser *p, enum mu_op op, int64_t value) {
  struct mu_expr *e = node(p, op, p->token.begin);
  e->value = value;
  mu_advance(p);
  return complete(p, e);
}

static const struct mu_expr *parse_isundefined(struct mu_parser *p) {
  struct mu_expr *e = node(p, MU_E_ISUNDEFINED, p->token.begin);
  mu_advance(p);
  mu_expect(p, MU_OPEN);
  e->a = mu_parse_designator(p);
  mu_expect(p, MU_CLOSE);
  return e->a ? complete(p, e) : NULL;
}

static const struct mu_expr *parse_ismember(struct mu_parser *p) {
  struct mu_expr *e = node(p, MU_E_ISMEMBER, p->token.begin);
  mu_advance(p);
  mu_expect(p, MU_OPEN);
  e->a = mu_parse_expression(p);
  mu_expect(p, MU_COMMA);
  e->type = mu_parse_type(p);
  mu_expect(p, MU_CLOSE);
  return e->a && e->type ? complete(p, e) : NULL;
}

static const struct mu_expr *parse_count(struct mu_parser *p) {
  struct mu_expr *e = node(p, MU_E_COUNT, p->token.begin);
  mu_advance(p);
  mu_expect(p, MU_OPEN);
  e->name = mu_parse_name(p, "the name of an element");
  mu_expect(p, MU_COLON);
  e->a = mu_parse_designator(p);
  mu_expect(p, MU_COMMA);
  e->b = mu_parse_expression(p);
  mu_expect(p, MU_CLOSE);
  return e->a && e->b ? complete(p, e) : NULL;
}

static const struct mu_expr *parse_brackets(struct mu_parser *p) {
  const source_at start = p->token.begin;
  mu_advance(p);
  const struct mu_expr *inner = mu_parse_expression(p);
  mu_expect(p, MU_CLOSE);
  if (!inner)
    return NULL;
  struct mu_expr *e = arena_alloc(p->arena, sizeof *e);
  *e = *inner;
  e->start = start;
  e->end = p->last_end;
  return parse_suffixes(p, e);
}

static const struct mu_expr *parse_primary(struct mu_parser *p) {
  switch (p->panic ? MU_END_OF_FILE : p->token.kind) {
  case MU_NUMBER:
    return parse_literal(p, MU_E_NUMBER, p->token.value);
  case MU_W_TRUE:
    return parse_literal(p, MU_E_TRUTH, 1);
  case MU_W_FALSE:
    return parse_literal(p, MU_E_TRUTH, 0);
  case MU_NAME:
    return parse_name(p);
  case MU_OPEN:
    return parse_brackets(p);
  case MU_W_FORALL:
  case MU_W_EXISTS:
    return parse_quantified(p);
  case MU_W_ISUNDEFINED:
    return parse_isundefined(p);
  case MU_W_ISMEMBER:
    return parse_ismember(p);
  case MU_W_MULTISETCOUNT:
    return parse_count(p);
  default:
    mu_expected(p, "an expression", NULL);
    return NULL;
  }
}

static const struct mu_expr *parse_unary(struct mu_parser *p) {
  const source_at at = p->token.begin;
  const bool minus = mu_sees(p, MU_MINUS);
  if (!minus && !mu_sees(p, MU_TILDE))
    return parse_primary(p);
  if (!mu_enter(p))
    return NULL;
  mu_advance(p);
  const struct mu_expr *e = unary(p, minus ? MU_E_NEG : MU_E_BITNOT, at, parse_unary(p));
  mu_leave(p);
  return e;
}

/* ---- operators ----------------------------------------------------------------------------------- */

enum strength { IMPLIES, OR, AND, NOT, COMPARISON, SHIFT, SUM, PRODUCT, UNARY };

static enum strength strength_of(enum mu_token_kind kind, enum mu_op *op) {
  switch (kind) {
  case MU_IMPLIES:
    return *op = MU_E_IMPLIES, IMPLIES;
  case MU_BAR:
    return *op = MU_E_BITOR, OR;
  case MU_OR:
    return *op = MU_E_OR, OR;
  case MU_AMPERSAND:
    return *op = MU_E_BITAND, AND;
  case MU_AND:
    return *op = MU_E_AND, AND;
  case MU_CARET:
    return *op = MU_E_BITXOR, AND;
  case MU_EQUALS:
  case MU_EQ:
    return *op = MU_E_EQ, COMPARISON;
  case MU_NE:
    return *op = MU_E_NE, COMPARISON;
  case MU_LT:
    return *op = MU_E_LT, COMPARISON;
  case MU_LE:
    return *op = MU_E_LE, COMPARISON;
  case MU_GT:
    return *op = MU_E_GT, COMPARISON;
  case MU_GE:
    return *op = MU_E_GE, COMPARISON;
  case MU_SHL:
    return *op = MU_E_SHL, SHIFT;
  case MU_SHR:
    return *op = MU_E_SHR, SHIFT;
  case MU_PLUS:
    return *op = MU_E_ADD, SUM;
  case MU_MINUS:
    return *op = MU_E_SUB, SUM;
  case MU_STAR:
    return *op = MU_E_MUL, PRODUCT;
  case MU_SLASH:
  case MU_DIVIDE:
    return *op = MU_E_DIV, PRODUCT;
  case MU_PERCENT:
    return *op = MU_E_MOD, PRODUCT;
  default:
    return UNARY;
  }
}

static const struct mu_expr *parse_level(struct mu_parser *p, enum strength level);

static const struct mu_expr *parse_not(struct mu_parser *p) {
  const source_at at = p->token.begin;
  if (!mu_sees(p, MU_NOT))
    return parse_level(p, COMPARISON);
  if (!mu_enter(p))
    return NULL;
  mu_advance(p);
  const struct mu_expr *e = unary(p, MU_E_NOT, at, parse_not(p));
  mu_leave(p);
  return e;
}

/* `a -> b -> c` and `a = b = c` are errors. The right operand of a comparison may begin with `!`. */
static const struct mu_expr *parse_level(struct mu_parser *p, enum strength level) {
  if (level == NOT)
    return parse_not(p);
  if (level == UNARY)
    return parse_unary(p);
  const struct mu_expr *e = parse_level(p, level + 1);
  bool chained = false;
  enum mu_op op = MU_E_NUMBER;
  while (e && !p->panic && strength_of(p->token.kind, &op) == level) {
    const source_at at = p->token.begin;
    if (chained && (level == IMPLIES || level == COMPARISON))
      MU_SYNTAX_ERROR(p, at, "write brackets", "this operator cannot follow another one of its kind");
    chained = true;
    mu_advance(p);
    e = binary(p, op, at, e, level > NOT && mu_sees(p, MU_NOT) ? parse_not(p) : parse_level(p, level + 1));
  }
  return p->panic ? NULL : e;
}

const struct mu_expr *mu_parse_expression(struct mu_parser *p) {
  if (!mu_enter(p))
    return NULL;
  const struct mu_expr *a = parse_level(p, IMPLIES);
  if (a && mu_sees(p, MU_QUESTION)) {
    struct mu_expr *e = node(p, MU_E_COND, p->token.begin);
    mu_advance(p);
    e->a = a;
    e->start = a->start;
    e->b = parse_level(p, IMPLIES);
    mu_expect(p, MU_COLON);
    e->c = parse_level(p, IMPLIES);
    if (mu_sees(p, MU_QUESTION))
      mu_expected(p, "the end of the expression", "write brackets around a second '? :'");
    a = e->b && e->c ? complete(p, e) : NULL;
  }
  mu_leave(p);
  return p->panic ? NULL : a;
}
