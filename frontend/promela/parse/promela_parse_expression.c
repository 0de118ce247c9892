/* Expressions and formulas. From weakest to strongest: -> and <->, ||, &&, U, W, V and R, |, ^, &, == and !=, < and the
   like, shifts, + and -, *, / and %, unary operators. All operators associate to the left, as in Spin. */
#include "frontend/promela/parse/promela_parser.h"

#include <string.h>

#define MAX_DEPTH 1000

static const struct {
  enum pr_token_kind token;
  enum pr_op op;
} operators[] = {{PR_OR, PR_E_OR},
                 {PR_AND, PR_E_AND},
                 {PR_BAR, PR_E_BITOR},
                 {PR_CARET, PR_E_BITXOR},
                 {PR_AMPERSAND, PR_E_BITAND},
                 {PR_EQ, PR_E_EQ},
                 {PR_NE, PR_E_NE},
                 {PR_LT, PR_E_LT},
                 {PR_LE, PR_E_LE},
                 {PR_GT, PR_E_GT},
                 {PR_GE, PR_E_GE},
                 {PR_SHL, PR_E_SHL},
                 {PR_SHR, PR_E_SHR},
                 {PR_PLUS, PR_E_ADD},
                 {PR_MINUS, PR_E_SUB},
                 {PR_STAR, PR_E_MUL},
                 {PR_SLASH, PR_E_DIV},
                 {PR_PERCENT, PR_E_MOD}};

/* Words that are operators in formulas only. Their levels are beside those of pr_binary_level. */
struct word {
  const char *text;
  unsigned level; /* 0: unary */
  enum pr_op op;
};
static const struct word words[] = {{"implies", 1, PR_E_IMPLIES},
                                    {"equivalent", 1, PR_E_EQUIVALENT},
                                    {"U", 4, PR_E_UNTIL},
                                    {"until", 4, PR_E_UNTIL},
                                    {"stronguntil", 4, PR_E_UNTIL},
                                    {"W", 4, PR_E_WEAK_UNTIL},
                                    {"weakuntil", 4, PR_E_WEAK_UNTIL},
                                    {"V", 4, PR_E_RELEASE},
                                    {"release", 4, PR_E_RELEASE},
                                    {"R", 4, PR_E_RELEASE},
                                    {"X", 0, PR_E_NEXT},
                                    {"next", 0, PR_E_NEXT},
                                    {"always", 0, PR_E_ALWAYS},
                                    {"eventually", 0, PR_E_EVENTUALLY}};

static struct pr_expr *node(struct pr_parser *p, enum pr_op op, source_at at, size_t first) {
  struct pr_expr *e = arena_alloc(p->arena, sizeof *e);
  *e = (struct pr_expr){
      .op = op, .at = at, .first = first, .last = first, .depth = 1, .name = pr_no_name(at), .label = pr_no_name(at)};
  return e;
}

static void add_operand(struct pr_expr *e, const struct pr_expr *operand) {
  if (operand && operand->depth >= e->depth)
    e->depth = operand->depth + 1;
  e->temporal |= operand && operand->temporal;
}

/* Ends before the token that is seen. NULL: in panic. */
static const struct pr_expr *complete(struct pr_parser *p, struct pr_expr *e) {
  add_operand(e, e->a);
  add_operand(e, e->b);
  add_operand(e, e->c);
  for (size_t i = 0; i < e->arguments.n; i++)
    add_operand(e, e->arguments.items[i]);
  e->temporal |= e->op >= PR_E_ALWAYS;
  e->last = p->next;
  if (e->depth > MAX_DEPTH)
    PR_SYNTAX_ERROR(p, e->at, NULL, "the expression is more than %d operators deep", MAX_DEPTH);
  return p->panic ? NULL : e;
}

/* ---- operands ------------------------------------------------------------------------------------ */

static const struct pr_expr *parse_operand(struct pr_parser *p);

static const struct pr_expr *parse_suffixes(struct pr_parser *p, const struct pr_expr *e) {
  while (e && (pr_sees(p, PR_DOT) || pr_sees(p, PR_OPEN_INDEX))) {
    struct pr_expr *next = node(p, pr_sees(p, PR_DOT) ? PR_E_FIELD : PR_E_INDEX, pr_token(p)->begin, e->first);
    next->a = e;
    if (pr_accept(p, PR_DOT))
      next->name = pr_parse_name(p, "the name of a field");
    else {
      pr_advance(p);
      next->b = pr_parse_expression(p);
      pr_expect(p, PR_CLOSE_INDEX);
    }
    e = complete(p, next);
  }
  return e;
}

const struct pr_expr *pr_parse_variable(struct pr_parser *p) {
  struct pr_expr *e = node(p, PR_E_NAME, pr_token(p)->begin, p->next);
  e->name = pr_parse_name(p, "the name of a variable");
  return parse_suffixes(p, complete(p, e));
}

/* P@label, P[a]@label, P:x, P[a]:x; and channel?[message] */
static const struct pr_expr *parse_name(struct pr_parser *p) {
  const size_t first = p->next;
  const struct pr_expr *e = pr_parse_variable(p);
  if (!e)
    return NULL;
  const struct pr_expr *named = e->op == PR_E_INDEX ? e->a : e;
  const bool remote = named->op == PR_E_NAME && pr_means(p, named->name.id, PR_IS_PROCTYPE);
  if (pr_sees(p, PR_AT) || (remote && pr_sees(p, PR_COLON))) {
    struct pr_expr *r = node(p, pr_sees(p, PR_AT) ? PR_E_REMOTE_LABEL : PR_E_REMOTE_VARIABLE, e->at, first);
    if (named->op != PR_E_NAME)
      PR_SYNTAX_ERROR(p, e->at, "P@label or P[pid]@label", "expected the name of a proctype");
    r->name = named->name;
    r->a = e->op == PR_E_INDEX ? e->b : NULL;
    pr_advance(p);
    r->label = pr_parse_name(p, r->op == PR_E_REMOTE_LABEL ? "the name of a label" : "the name of a variable");
    if (r->op == PR_E_REMOTE_LABEL)
      *PR_PUSH(p, &p->model->observed) = (struct pr_observed){r->name.id, r->label.id};
    return complete(p, r);
  }
  if ((pr_sees(p, PR_QUESTION) || pr_sees(p, PR_RANDOM_RECEIVE)) && pr_sees_next(p, PR_OPEN_INDEX)) {
    struct pr_expr *poll = node(p, pr_sees(p, PR_QUESTION) ? PR_E_POLL : PR_E_RANDOM_POLL, e->at, first);
    pr_advance(p);
    pr_advance(p);
    poll->a = e;
    pr_parse_pattern(p, &poll->arguments);
    pr_expect(p, PR_CLOSE_INDEX);
    return complete(p, poll);
  }
  return e;
}

void pr_parse_arguments(struct pr_parser *p, enum pr_token_kind end, struct pr_exprs *out) {
  if (pr_accept(p, end))
    return;
  do {
    const struct pr_expr *e = pr_parse_expression(p);
    *PR_PUSH(p, out) = e;
  } while (pr_accept(p, PR_COMMA));
  pr_expect(p, end);
}

/* (`>` ends a message that is kept.) */
void pr_parse_pattern(struct pr_parser *p, struct pr_exprs *out) {
  const bool bracket = !out->n && pr_accept(p, PR_OPEN); /* around all fields */
  do {
    const struct pr_expr *e = parse_operand(p);
    *PR_PUSH(p, out) = e;
    if (out->n == 1 && pr_accept(p, PR_OPEN)) {
      pr_parse_pattern(p, out);
      pr_expect(p, PR_CLOSE);
      break;
    }
  } while (pr_accept(p, PR_COMMA));
  if (bracket)
    pr_expect(p, PR_CLOSE);
}

void pr_parse_message(struct pr_parser *p, struct pr_exprs *out) {
  do {
    const struct pr_expr *e = pr_parse_expression(p);
    *PR_PUSH(p, out) = e;
    if (out->n == 1 && pr_accept(p, PR_OPEN)) {
      pr_parse_arguments(p, PR_CLOSE, out);
      return;
    }
  } while (pr_accept(p, PR_COMMA));
}

/* word ( operand ) or, for set_priority, word ( operand , operand ) */
static const struct pr_expr *parse_call(struct pr_parser *p, enum pr_op op) {
  struct pr_expr *e = node(p, op, pr_token(p)->begin, p->next);
  pr_advance(p);
  pr_expect(p, PR_OPEN);
  e->a = pr_parse_expression(p);
  if (op == PR_E_SET_PRIORITY) {
    pr_expect(p, PR_COMMA);
    e->b = pr_parse_expression(p);
  }
  pr_expect(p, PR_CLOSE);
  return complete(p, e);
}

static const struct pr_expr *parse_run(struct pr_parser *p) {
  struct pr_expr *e = node(p, PR_E_RUN, pr_token(p)->begin, p->next);
  pr_advance(p);
  e->name = pr_parse_name(p, "the name of a proctype");
  pr_expect(p, PR_OPEN);
  pr_parse_arguments(p, PR_CLOSE, &e->arguments);
  if (pr_accept(p, PR_W_PRIORITY))
    e->b = parse_operand(p);
  return complete(p, e);
}

static const struct pr_expr *parse_number(struct pr_parser *p, int64_t value) {
  struct pr_expr *e = node(p, PR_E_NUMBER, pr_token(p)->begin, p->next);
  e->value = value;
  e->constant = pr_token(p)->macro;
  pr_advance(p);
  return complete(p, e);
}

/* ( a ), ( a -> b : c ) */
static const struct pr_expr *parse_brackets(struct pr_parser *p) {
  const size_t first = p->next;
  struct pr_expr *cond = node(p, PR_E_COND, pr_token(p)->begin, first);
  pr_advance(p);
  const struct pr_expr *e = pr_parse_expression(p);
  const bool implied = e && e->op == PR_E_IMPLIES && e->first == first + 1 && pr_sees(p, PR_COLON);
  if (!implied && !pr_accept(p, PR_ARROW)) {
    pr_expect(p, PR_CLOSE);
    return e;
  }
  cond->a = implied ? e->a : e;
  cond->b = implied ? e->b : pr_parse_expression(p);
  pr_expect(p, PR_COLON);
  cond->c = pr_parse_expression(p);
  pr_expect(p, PR_CLOSE);
  return complete(p, cond);
}

static const struct pr_expr *parse_unary(struct pr_parser *p, enum pr_op op, unsigned tokens) {
  struct pr_expr *e = node(p, op, pr_token(p)->begin, p->next);
  for (unsigned i = 0; i < tokens; i++)
    pr_advance(p);
  e->a = parse_operand(p);
  return complete(p, e);
}

/* !!a */
static const struct pr_expr *parse_double_not(struct pr_parser *p) {
  struct pr_expr *outer = node(p, PR_E_NOT, pr_token(p)->begin, p->next);
  outer->a = parse_unary(p, PR_E_NOT, 1);
  return complete(p, outer);
}

static const struct pr_expr *parse_simple(struct pr_parser *p, enum pr_op op) {
  struct pr_expr *e = node(p, op, pr_token(p)->begin, p->next);
  pr_advance(p);
  return complete(p, e);
}

static const struct word *word_seen(const struct pr_parser *p) {
  if (p->in_formula && pr_sees(p, PR_NAME))
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      if (strcmp(words[i].text, pr_token(p)->text) == 0)
        return &words[i];
  return NULL;
}

/* Operators of formulas. NULL: none is seen, or in panic. */
static const struct pr_expr *parse_temporal(struct pr_parser *p) {
  const struct word *word = word_seen(p);
  if (word && word->level == 0)
    return parse_unary(p, word->op, 1);
  if (p->in_formula && pr_sees(p, PR_OPEN_INDEX) && pr_sees_next(p, PR_CLOSE_INDEX))
    return parse_unary(p, PR_E_ALWAYS, 2);
  if (p->in_formula && pr_sees(p, PR_LT) && pr_sees_next(p, PR_GT))
    return parse_unary(p, PR_E_EVENTUALLY, 2);
  return NULL;
}

/* word(operand). NULL: none is seen, or in panic. */
static const struct pr_expr *parse_function(struct pr_parser *p) {
  static const struct {
    enum pr_token_kind word;
    enum pr_op op;
  } functions[] = {{PR_W_LEN, PR_E_LEN},
                   {PR_W_FULL, PR_E_FULL},
                   {PR_W_EMPTY, PR_E_EMPTY},
                   {PR_W_NFULL, PR_E_NFULL},
                   {PR_W_NEMPTY, PR_E_NEMPTY},
                   {PR_W_EVAL, PR_E_EVAL},
                   {PR_W_ENABLED, PR_E_ENABLED},
                   {PR_W_PC_VALUE, PR_E_PC_VALUE},
                   {PR_W_GET_PRIORITY, PR_E_GET_PRIORITY},
                   {PR_W_SET_PRIORITY, PR_E_SET_PRIORITY}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (pr_sees(p, functions[i].word))
      return parse_call(p, functions[i].op);
  return NULL;
}

static const struct pr_expr *parse_operand_of(struct pr_parser *p) {
  const struct pr_expr *e = parse_temporal(p);
  if (!e && !p->panic)
    e = parse_function(p);
  if (e || p->panic)
    return e;
  switch (pr_token(p)->kind) {
  case PR_NUMBER:
    return parse_number(p, pr_token(p)->value);
  case PR_W_TRUE:
  case PR_W_SKIP:
    return parse_number(p, 1);
  case PR_W_FALSE:
    return parse_number(p, 0);
  case PR_OPEN:
    return parse_brackets(p);
  case PR_MINUS:
    return parse_unary(p, PR_E_NEG, 1);
  case PR_NOT:
    return parse_unary(p, PR_E_NOT, 1);
  case PR_SORTED_SEND:
    return parse_double_not(p);
  case PR_TILDE:
    return parse_unary(p, PR_E_BITNOT, 1);
  case PR_W_RUN:
    return parse_run(p);
  case PR_W_TIMEOUT:
    return parse_simple(p, PR_E_TIMEOUT);
  case PR_W_NP:
    return parse_simple(p, PR_E_NONPROGRESS);
  case PR_W_C_EXPR:
    pr_refuse_c(p);
    return NULL;
  case PR_NAME:
    return parse_name(p);
  default:
    pr_expected(p, "an expression", NULL);
    return NULL;
  }
}

static const struct pr_expr *parse_operand(struct pr_parser *p) {
  if (!pr_enter(p))
    return NULL;
  const struct pr_expr *e = parse_operand_of(p);
  pr_leave(p);
  return p->panic ? NULL : e;
}

/* ---- operators ----------------------------------------------------------------------------------- */

struct binary_operator {
  unsigned level; /* 0: none */
  enum pr_op op;
};

/* The operator that is seen. */
static struct binary_operator operator_seen(const struct pr_parser *p) {
  const struct word *word = word_seen(p);
  const enum pr_token_kind kind = p->panic ? PR_END : pr_token(p)->kind;
  if (word)
    return (struct binary_operator){word->level, word->op};
  if (p->in_formula && (kind == PR_ARROW || kind == PR_EQUIVALENT))
    return (struct binary_operator){1, kind == PR_ARROW ? PR_E_IMPLIES : PR_E_EQUIVALENT};
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (operators[i].token == kind)
      return (struct binary_operator){pr_binary_level(kind), operators[i].op};
  return (struct binary_operator){.level = 0};
}

static const struct pr_expr *parse_binary(struct pr_parser *p, unsigned level) {
  const size_t first = p->next; /* also of a bracket */
  const struct pr_expr *left = parse_operand(p);
  for (;;) {
    const struct binary_operator o = operator_seen(p);
    if (!left || o.level <= level)
      return left;
    struct pr_expr *e = node(p, o.op, pr_token(p)->begin, first);
    pr_advance(p);
    e->a = left;
    e->b = parse_binary(p, o.level);
    if (!p->panic && e->a && e->b && o.op < PR_E_ALWAYS && o.op != PR_E_AND && o.op != PR_E_OR &&
        (e->a->temporal || e->b->temporal))
      PR_SYNTAX_ERROR(p, e->at, "temporal operators bind as tightly as '!': write [] (a == b)",
                      "a temporal formula is no operand of '%s'", p->tokens[e->b->first - 1].text);
    left = complete(p, e);
  }
}

const struct pr_expr *pr_parse_expression(struct pr_parser *p) {
  if (!pr_enter(p))
    return NULL;
  const struct pr_expr *e = parse_binary(p, 0);
  pr_leave(p);
  return p->panic ? NULL : e;
}
