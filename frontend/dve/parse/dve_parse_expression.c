/* Expressions. Operators of one level associate to the left; `and` and `or` are one level, and so are &, | and ^. */
#include "frontend/dve/parse/dve_parser.h"

#define MAX_NESTING 256
#define MAX_DEPTH 1000

static struct dve_expr *node(struct dve_parser *p, enum dve_op op, source_at at) {
  struct dve_expr *e = arena_alloc(p->arena, sizeof *e);
  *e = (struct dve_expr){.op = op, .at = at, .start = at, .end = p->token.end, .depth = 1};
  return e;
}

/* Limits the depth of recursion over the tree. */
static struct dve_expr *complete(struct dve_parser *p, struct dve_expr *e) {
  const unsigned a = e->a ? e->a->depth : 0, b = e->b ? e->b->depth : 0;
  e->depth = 1 + (a > b ? a : b);
  if (e->depth > MAX_DEPTH)
    DVE_ERROR(p, e->at, "assign parts of it to variables", "the expression is too long: more than %d operators deep",
              MAX_DEPTH);
  return e;
}

static bool nest(struct dve_parser *p) {
  if (++p->nesting > MAX_NESTING)
    DVE_ERROR(p, p->token.begin, NULL, "the expression is nested more than %d deep", MAX_NESTING);
  return !p->panic;
}

static struct dve_expr *number(struct dve_parser *p, int64_t value) {
  struct dve_expr *e = node(p, DVE_NUMBER, p->token.begin);
  e->value = value;
  dve_advance(p);
  return e;
}

static void parse_index(struct dve_parser *p, struct dve_expr *e) {
  if (!dve_accept(p, DVE_TOKEN_OPEN_INDEX))
    return;
  e->a = dve_parse_expression(p);
  dve_expect(p, DVE_TOKEN_CLOSE_INDEX);
  if (dve_sees(p, DVE_TOKEN_OPEN_INDEX))
    DVE_ERROR(p, p->token.begin, "compute one index: a[i*n + j]", "arrays have one dimension");
}

static struct dve_expr *reference(struct dve_parser *p, const char *what) {
  struct dve_expr *e = node(p, DVE_NAME, p->token.begin);
  e->name = dve_parse_name(p, what);
  const bool is_state = dve_sees(p, DVE_TOKEN_DOT), is_foreign = dve_sees(p, DVE_TOKEN_ARROW);
  if (is_state || is_foreign) {
    dve_advance(p);
    e->process = e->name;
    e->name = dve_parse_name(p, is_state ? "the name of a state" : "the name of a variable");
    e->op = is_state ? DVE_STATE : DVE_NAME;
  }
  if (!is_state)
    parse_index(p, e);
  e->end = p->last_end;
  return complete(p, e);
}

const struct dve_expr *dve_parse_variable(struct dve_parser *p, const char *what) {
  const struct dve_expr *e = reference(p, what);
  if (e->op == DVE_STATE)
    DVE_ERROR(p, e->at, "write PROCESS->VARIABLE for a variable of another process", "a state is no variable");
  return e;
}

static struct dve_expr *in_brackets(struct dve_parser *p) {
  const source_at start = p->token.begin;
  dve_advance(p);
  const struct dve_expr *inner = nest(p) ? dve_parse_expression(p) : number(p, 0);
  p->nesting--;
  dve_expect(p, DVE_TOKEN_CLOSE);
  struct dve_expr *e = arena_alloc(p->arena, sizeof *e);
  *e = *inner;
  e->start = start;
  e->end = p->last_end;
  return e;
}

static struct dve_expr *primary(struct dve_parser *p) {
  switch (p->panic ? DVE_TOKEN_END : p->token.kind) {
  case DVE_TOKEN_NAME:
    return reference(p, "a name");
  case DVE_TOKEN_NUMBER:
    return number(p, p->token.value);
  case DVE_TOKEN_TRUE:
    return number(p, 1);
  case DVE_TOKEN_FALSE:
    return number(p, 0);
  case DVE_TOKEN_OPEN:
    return in_brackets(p);
  default:
    dve_expected(p, "an expression", p->token.kind == DVE_TOKEN_SEND ? "negation is 'not'" : NULL);
    return number(p, 0);
  }
}

static struct dve_expr *unary(struct dve_parser *p) {
  const enum dve_token_kind kind = p->panic ? DVE_TOKEN_END : p->token.kind;
  if (kind != DVE_TOKEN_MINUS && kind != DVE_TOKEN_NOT && kind != DVE_TOKEN_BITNOT)
    return primary(p);
  struct dve_expr *e = node(p,
                            kind == DVE_TOKEN_MINUS ? DVE_NEG
                            : kind == DVE_TOKEN_NOT ? DVE_NOT
                                                    : DVE_BITNOT,
                            p->token.begin);
  dve_advance(p);
  e->a = nest(p) ? unary(p) : number(p, 0);
  p->nesting--;
  e->end = p->last_end;
  return complete(p, e);
}

/* ---- binary operators --------------------------------------------------------------------------- */

enum level {
  LEVEL_NONE,
  LEVEL_IMPLY,
  LEVEL_LOGIC,
  LEVEL_BITS,
  LEVEL_EQUAL,
  LEVEL_ORDER,
  LEVEL_SHIFT,
  LEVEL_SUM,
  LEVEL_PRODUCT
};

struct operator{
  enum level level;
  enum dve_op op;
};

static struct operator next_operator(const struct dve_parser *p) {
  static const struct operator all[DVE_TOKEN_END + 1] = {
      [DVE_TOKEN_IMPLY] = {LEVEL_IMPLY, DVE_IMPLY},  [DVE_TOKEN_OR] = {LEVEL_LOGIC, DVE_OR},
      [DVE_TOKEN_AND] = {LEVEL_LOGIC, DVE_AND},      [DVE_TOKEN_BITOR] = {LEVEL_BITS, DVE_BITOR},
      [DVE_TOKEN_BITXOR] = {LEVEL_BITS, DVE_BITXOR}, [DVE_TOKEN_BITAND] = {LEVEL_BITS, DVE_BITAND},
      [DVE_TOKEN_EQ] = {LEVEL_EQUAL, DVE_EQ},        [DVE_TOKEN_NE] = {LEVEL_EQUAL, DVE_NE},
      [DVE_TOKEN_LT] = {LEVEL_ORDER, DVE_LT},        [DVE_TOKEN_LE] = {LEVEL_ORDER, DVE_LE},
      [DVE_TOKEN_GT] = {LEVEL_ORDER, DVE_GT},        [DVE_TOKEN_GE] = {LEVEL_ORDER, DVE_GE},
      [DVE_TOKEN_SHL] = {LEVEL_SHIFT, DVE_SHL},      [DVE_TOKEN_SHR] = {LEVEL_SHIFT, DVE_SHR},
      [DVE_TOKEN_PLUS] = {LEVEL_SUM, DVE_ADD},       [DVE_TOKEN_MINUS] = {LEVEL_SUM, DVE_SUB},
      [DVE_TOKEN_TIMES] = {LEVEL_PRODUCT, DVE_MUL},  [DVE_TOKEN_DIVIDE] = {LEVEL_PRODUCT, DVE_DIV},
      [DVE_TOKEN_MODULO] = {LEVEL_PRODUCT, DVE_MOD},
  };
  return all[p->panic ? DVE_TOKEN_END : p->token.kind];
}

struct operand {
  const struct dve_expr *expr;
  enum dve_op op; /* before it */
  source_at at;
};

struct chain {
  struct operand *items;
  size_t n, cap;
};

static const struct dve_expr *join(struct dve_parser *p, const struct operand *right, const struct dve_expr *a,
                                   const struct dve_expr *b) {
  struct dve_expr *e = node(p, right->op, right->at);
  e->a = a;
  e->b = b;
  e->start = a->start;
  e->end = b->end;
  return complete(p, e);
}

/* Long chains of one associative operator become balanced trees, with operands in the same order. */
static const struct dve_expr *balanced(struct dve_parser *p, const struct operand *items, size_t n) {
  if (n == 1)
    return items[0].expr;
  const size_t half = n / 2;
  const struct dve_expr *left = balanced(p, items, half);
  return join(p, &items[half], left, balanced(p, items + half, n - half));
}

static bool is_associative(const struct chain *chain) {
  for (size_t i = 1; i < chain->n; i++)
    if (chain->items[i].op != chain->items[1].op)
      return false;
  switch (chain->items[1].op) {
  case DVE_OR:
  case DVE_AND:
  case DVE_BITOR:
  case DVE_BITXOR:
  case DVE_BITAND:
  case DVE_ADD:
  case DVE_MUL:
    return true;
  default:
    return false;
  }
}

/* In most languages `a or b and c` is `a or (b and c)`. */
static void note_mixed(struct dve_parser *p, const struct chain *chain, enum level level) {
  if (level != LEVEL_LOGIC && level != LEVEL_BITS)
    return;
  for (size_t i = 2; i < chain->n; i++)
    if (chain->items[i].op > chain->items[i - 1].op) {
      p->mixed = p->mixed_count ? p->mixed : chain->items[i].at;
      p->mixed_count++;
      return;
    }
}

static const struct dve_expr *binary(struct dve_parser *p, enum level lowest);

static const struct dve_expr *chain_after(struct dve_parser *p, const struct dve_expr *left) {
  const enum level level = next_operator(p).level;
  struct chain chain = {0};
  *DVE_PUSH(p, &chain) = (struct operand){.expr = left};
  while (next_operator(p).level == level) {
    struct operand operand = {.op = next_operator(p).op, .at = p->token.begin};
    dve_advance(p);
    operand.expr = binary(p, level + 1);
    *DVE_PUSH(p, &chain) = operand;
  }
  note_mixed(p, &chain, level);
  if (is_associative(&chain))
    return balanced(p, chain.items, chain.n);
  for (size_t i = 1; i < chain.n && !p->panic; i++)
    left = join(p, &chain.items[i], left, chain.items[i].expr);
  return left;
}

static const struct dve_expr *binary(struct dve_parser *p, enum level lowest) {
  const struct dve_expr *left = unary(p);
  while (next_operator(p).level != LEVEL_NONE && next_operator(p).level >= lowest)
    left = chain_after(p, left);
  return left;
}

const struct dve_expr *dve_parse_expression(struct dve_parser *p) {
  const struct dve_expr *e = nest(p) ? binary(p, LEVEL_IMPLY) : number(p, 0);
  p->nesting--;
  return e;
}
