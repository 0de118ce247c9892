#include "frontend/parse/parser.h"

#include "frontend/parse/other_language_hints.h"
#include "frontend/parse/run_operators.h"

#include <stdarg.h>
#include <stdio.h>

#define MAX_NESTING 256
#define LONGEST_QUOTE 40

/* ---- the parser ------------------------------------------------------------------------------ */

void parser_init(struct parser *p, const struct parser_input *input) {
  *p = (struct parser){.input = input, .token = lex(&input->text, 0)};
}

floe_status parser_finish(struct parser *p, const char *what) {
  if (p->token.kind != TOKEN_END)
    parser_expected(p, what);
  return p->failed ? FLOE_ERROR_MODEL : FLOE_OK;
}

source_at parser_place(const struct parser *p, size_t index) { return p->input->text.at[index]; }
source_at parser_at(const struct parser *p) { return parser_place(p, p->token.begin); }

void parser_fail(struct parser *p, source_at at, const char *hint, const char *format, ...) {
  char message[200];
  if (p->failed)
    return;
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  diag_error(p->input->log, p->input->source, at, hint, "%s", message);
  p->failed = true;
  size_t end = p->input->text.length;
  p->token = (struct token){TOKEN_END, end, end, 0};
}

/* Hints search the whole text, so only for the error that is logged. */
void parser_expected(struct parser *p, const char *what) {
  if (p->failed)
    return;
  size_t length = p->token.end - p->token.begin;
  const char *text = p->input->text.text + p->token.begin;
  int shown = length < LONGEST_QUOTE ? (int)length : LONGEST_QUOTE;
  const char *hint = other_language_hint(p->input->arena, &p->input->text, &p->token, what);
  if (p->token.kind == TOKEN_TOO_LARGE)
    parser_fail(p, parser_at(p), NULL, "the number is larger than 9223372036854775807");
  else if (p->token.kind == TOKEN_END)
    parser_fail(p, parser_at(p), hint, "expected %s, but the text ends", what);
  else
    parser_fail(p, parser_at(p), hint, "expected %s, found '%.*s'", what, shown, text);
}

void parser_advance(struct parser *p) {
  if (!p->failed)
    p->token = lex(&p->input->text, p->token.end);
}

bool parser_accept(struct parser *p, enum token_kind kind) {
  if (p->failed || p->token.kind != kind)
    return false;
  parser_advance(p);
  return true;
}

void parser_expect(struct parser *p, enum token_kind kind) {
  char what[16];
  snprintf(what, sizeof what, "'%s'", token_spelling(kind));
  if (!parser_accept(p, kind))
    parser_expected(p, what);
}

struct syntax_name parser_name(struct parser *p) {
  struct syntax_name name = {"", parser_at(p)};
  const char *text = p->input->text.text + p->token.begin;
  size_t length = p->token.end - p->token.begin;
  const char *word = arena_copy(p->input->arena, text, length);
  if (is_reserved(word))
    parser_fail(p, name.at, "choose another name", "'%s' is a reserved word", word);
  else if (!token_is_name(p->token.kind))
    parser_expected(p, "a name");
  else
    name.name = word;
  parser_advance(p);
  return name;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Makes the node at least as deep as its part, which may be NULL, and temporal if the part is. */
static void include_part(struct syntax_expr *expr, const struct syntax_expr *part) {
  if (part && part->depth > expr->depth)
    expr->depth = part->depth;
  expr->temporal |= part && part->temporal;
}

static void complete_node(struct parser *p, struct syntax_expr *expr) {
  const struct syntax_expr *parts[] = {expr->a, expr->b, expr->c, expr->range.lo, expr->range.hi};
  expr->depth = 0;
  expr->temporal = expr->op >= SYN_TAKEN;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    include_part(expr, parts[i]);
  for (size_t i = 0; i < expr->arguments.n; i++)
    include_part(expr, expr->arguments.items[i]);
  if (++expr->depth > SYNTAX_MAX_DEPTH)
    parser_fail(p, expr->at, "name parts of it by a variable or use a quantifier",
                "the expression is too long: more than %d operators deep", SYNTAX_MAX_DEPTH);
}

/* A node for the next token. */
static struct syntax_expr *leaf(struct parser *p, enum syntax_op op) {
  struct syntax_expr *expr = arena_alloc(p->input->arena, sizeof *expr);
  expr->op = op;
  expr->depth = 1;
  expr->at = expr->start = parser_at(p);
  expr->end = parser_place(p, p->token.end);
  return expr;
}

struct syntax_expr *parser_number(struct parser *p, int64_t value) {
  struct syntax_expr *expr = leaf(p, SYN_NUMBER);
  expr->value = value;
  return expr;
}

struct syntax_expr *parser_binary(struct parser *p, enum syntax_op op, source_at at, struct syntax_expr *a,
                                  struct syntax_expr *b) {
  struct syntax_expr *expr = arena_alloc(p->input->arena, sizeof *expr);
  *expr = (struct syntax_expr){.op = op, .at = at, .start = a->start, .end = b->end, .a = a, .b = b};
  complete_node(p, expr);
  return expr;
}

struct syntax_expr *parser_prefixed(struct parser *p, enum syntax_op op, source_at at, struct syntax_expr *a) {
  struct syntax_expr *expr = arena_alloc(p->input->arena, sizeof *expr);
  *expr = (struct syntax_expr){.op = op, .at = at, .start = at, .end = a->end, .a = a};
  complete_node(p, expr);
  return expr;
}

/* Parses the closing bracket `close` of a node. */
static void finish_node(struct parser *p, struct syntax_expr *expr, enum token_kind close) {
  expr->end = parser_place(p, p->token.end);
  parser_expect(p, close);
  complete_node(p, expr);
}

/* ---- names ----------------------------------------------------------------------------------- */

static struct syntax_expr *name_leaf(struct parser *p) {
  struct syntax_expr *expr = leaf(p, SYN_NAME);
  expr->name = parser_name(p).name;
  return expr;
}

/* After '['. */
static struct syntax_expr *index_of(struct parser *p, struct syntax_expr *array) {
  struct syntax_expr *expr = leaf(p, SYN_INDEX);
  parser_advance(p);
  expr->at = array->at;
  expr->start = array->start;
  expr->a = array;
  expr->b = parser_expression(p);
  finish_node(p, expr, TOKEN_CLOSE_INDEX);
  return expr;
}

struct syntax_expr *parser_channel(struct parser *p) {
  struct syntax_expr *name = name_leaf(p);
  return p->token.kind == TOKEN_OPEN_INDEX ? index_of(p, name) : name;
}

/* After '.'. */
static struct syntax_expr *field_of(struct parser *p, struct syntax_expr *owner) {
  struct syntax_expr *field = leaf(p, SYN_FIELD);
  struct syntax_name name = parser_name(p);
  field->at = owner->at;
  field->start = owner->start;
  field->name = name.name;
  field->name_at = name.at;
  field->a = owner;
  complete_node(p, field);
  return field;
}

static struct syntax_expr *parts_of(struct parser *p, struct syntax_expr *place) {
  while (!p->failed)
    if (p->token.kind == TOKEN_OPEN_INDEX)
      place = index_of(p, place);
    else if (parser_accept(p, TOKEN_DOT))
      place = field_of(p, place);
    else
      break;
  return place;
}

struct syntax_expr *parser_target(struct parser *p) {
  return parts_of(p, name_leaf(p));
}

static bool name_in_follows(const struct parser *p) {
  const struct located_text *text = &p->input->text;
  return token_is_name(p->token.kind) && lex(text, p->token.end).kind == TOKEN_IN;
}

/* The arguments after NAME. */
static struct syntax_expr *call(struct parser *p, struct syntax_expr *name) {
  name->op = SYN_CALL;
  parser_expect(p, TOKEN_OPEN);
  if (name_in_follows(p))
    parser_fail(p, name->at, other_language_call_hint(name->name), "'%s' is no quantifier", name->name);
  do {
    struct syntax_expr *argument = parser_expression(p);
    *ARENA_PUSH(p->input->arena, name->arguments.items, name->arguments.n, name->arguments.cap) = argument;
  } while (parser_accept(p, TOKEN_COMMA));
  finish_node(p, name, TOKEN_CLOSE);
  return name;
}

/* NAME(e, ...), or a place */
static struct syntax_expr *reference(struct parser *p) {
  struct syntax_expr *name = name_leaf(p);
  return p->token.kind == TOKEN_OPEN ? call(p, name) : parts_of(p, name);
}

/* ---- quantifiers and functions --------------------------------------------------------------- */

struct syntax_range parser_range(struct parser *p, bool process) {
  struct syntax_range range = {.at = parser_at(p)};
  range.lo = parser_expression(p);
  if (parser_accept(p, TOKEN_DOTS))
    range.hi = parser_expression(p);
  else if (!process || range.lo->op != SYN_NAME)
    parser_expected(p, "'..'");
  return range;
}

bool parser_is_call(const struct parser *p) { return lex(&p->input->text, p->token.end).kind == TOKEN_OPEN; }

/* After '(': NAME in RANGE : EXPRESSION ) */
static struct syntax_expr *quantifier(struct parser *p, struct syntax_expr *expr) {
  struct syntax_name name = parser_name(p);
  expr->name = name.name;
  expr->name_at = name.at;
  parser_expect(p, TOKEN_IN);
  expr->range = parser_range(p, true);
  parser_expect(p, TOKEN_COLON);
  expr->a = parser_expression(p);
  finish_node(p, expr, TOKEN_CLOSE);
  return expr;
}

static struct syntax_expr *quantifier_of(struct parser *p, enum syntax_op op) {
  struct syntax_expr *expr = leaf(p, op);
  parser_advance(p);
  parser_expect(p, TOKEN_OPEN);
  return quantifier(p, expr);
}

/* min and max: of two values, or over a range */
static struct syntax_expr *extreme(struct parser *p, enum syntax_op two, enum syntax_op range) {
  struct syntax_expr *expr = leaf(p, two);
  parser_advance(p);
  parser_expect(p, TOKEN_OPEN);
  if (name_in_follows(p)) {
    expr->op = range;
    return quantifier(p, expr);
  }
  expr->a = parser_expression(p);
  parser_expect(p, TOKEN_COMMA);
  expr->b = parser_expression(p);
  finish_node(p, expr, TOKEN_CLOSE);
  return expr;
}

/* A function of what `argument` reads: of a channel, or of firings (enabled, taken). */
static struct syntax_expr *function_of(struct parser *p, enum syntax_op op,
                                       struct syntax_expr *(*argument)(struct parser *p)) {
  struct syntax_expr *expr = leaf(p, op);
  parser_advance(p);
  parser_expect(p, TOKEN_OPEN);
  expr->a = argument(p);
  finish_node(p, expr, TOKEN_CLOSE);
  return expr;
}

/* ---- operators ------------------------------------------------------------------------------- */

static struct syntax_expr *in_brackets(struct parser *p) {
  source_at start = parser_at(p);
  parser_advance(p);
  struct syntax_expr *expr = parser_expression(p);
  expr->start = start;
  expr->end = parser_place(p, p->token.end);
  parser_expect(p, TOKEN_CLOSE);
  return expr;
}

static struct syntax_expr *constant(struct parser *p, int64_t value) {
  struct syntax_expr *expr = parser_number(p, value);
  parser_advance(p);
  return expr;
}

static struct syntax_expr *built_in_name(struct parser *p) {
  struct syntax_expr *expr = leaf(p, SYN_NAME);
  expr->name = token_spelling(p->token.kind);
  parser_advance(p);
  return expr;
}

/* A function: a word before '('. */
static struct syntax_expr *function(struct parser *p) {
  const enum syntax_op of_runs = p->temporal ? run_function(&p->input->text, p->token) : SYN_NAME;
  if (of_runs != SYN_NAME)
    return function_of(p, of_runs, parser_target);
  switch (p->token.kind) {
  case TOKEN_ALL:
    return quantifier_of(p, SYN_ALL);
  case TOKEN_EXISTS:
    return quantifier_of(p, SYN_EXISTS);
  case TOKEN_COUNT:
    return quantifier_of(p, SYN_COUNT);
  case TOKEN_SUM:
    return quantifier_of(p, SYN_SUM);
  case TOKEN_MIN:
    return extreme(p, SYN_MIN, SYN_MIN_OF);
  case TOKEN_MAX:
    return extreme(p, SYN_MAX, SYN_MAX_OF);
  case TOKEN_LEN:
    return function_of(p, SYN_LEN, parser_channel);
  case TOKEN_EMPTY:
    return function_of(p, SYN_EMPTY, parser_channel);
  case TOKEN_FULL:
    return function_of(p, SYN_FULL, parser_channel);
  default:
    return reference(p);
  }
}

static struct syntax_expr *primary(struct parser *p) {
  if (token_is_name(p->token.kind))
    return parser_is_call(p) ? function(p) : reference(p);
  switch (p->token.kind) {
  case TOKEN_NUMBER:
    return constant(p, p->token.value);
  case TOKEN_TRUE:
    return constant(p, 1);
  case TOKEN_FALSE:
    return constant(p, 0);
  case TOKEN_SELF:
    return built_in_name(p);
  case TOKEN_OPEN:
    return in_brackets(p);
  default:
    parser_expected(p, "an expression");
    return parser_number(p, 0);
  }
}

/* Limits the depth of recursion: every recursive call passes here. */
static bool nest(struct parser *p) {
  if (++p->nesting > MAX_NESTING)
    parser_fail(p, parser_at(p), NULL, "the expression is nested more than %d deep", MAX_NESTING);
  return !p->failed;
}

static struct syntax_expr *comparison(struct parser *p);

/* always, eventually, next: looser than comparisons, tighter than until. */
static struct syntax_expr *of_runs(struct parser *p, enum syntax_op op, struct token last) {
  const source_at at = parser_at(p);
  p->token = last;
  parser_advance(p);
  struct syntax_expr *operand = nest(p) ? comparison(p) : parser_number(p, 0);
  p->nesting--;
  return parser_prefixed(p, op, at, operand);
}

static struct syntax_expr *unary(struct parser *p) {
  enum token_kind kind = p->token.kind;
  struct token last;
  const enum syntax_op op = p->temporal ? run_prefix(&p->input->text, p->token, &last) : SYN_NAME;
  if (op != SYN_NAME)
    return of_runs(p, op, last);
  if (kind != TOKEN_MINUS && kind != TOKEN_NOT && kind != TOKEN_BITNOT)
    return primary(p);
  struct syntax_expr *expr = leaf(p, kind == TOKEN_MINUS ? SYN_NEG : kind == TOKEN_NOT ? SYN_NOT : SYN_BITNOT);
  parser_advance(p);
  expr->a = nest(p) ? unary(p) : parser_number(p, 0);
  p->nesting--;
  expr->end = expr->a->end;
  complete_node(p, expr);
  return expr;
}

enum precedence {
  LEVEL_NONE,
  LEVEL_OR,
  LEVEL_AND,
  LEVEL_RUNS, /* until, weakuntil, release */
  LEVEL_EQUAL,
  LEVEL_ORDER,
  LEVEL_BITOR,
  LEVEL_BITXOR,
  LEVEL_BITAND,
  LEVEL_SHIFT,
  LEVEL_SUM,
  LEVEL_PRODUCT
};

struct operator{
  enum precedence precedence;
  enum syntax_op op;
};

static struct operator operator_of(enum token_kind kind) {
  static const struct operator all[TOKEN_END + 1] = {
      [TOKEN_OR] = {LEVEL_OR, SYN_OR},
      [TOKEN_AND] = {LEVEL_AND, SYN_AND},
      [TOKEN_EQ] = {LEVEL_EQUAL, SYN_EQ},
      [TOKEN_NE] = {LEVEL_EQUAL, SYN_NE},
      [TOKEN_LT] = {LEVEL_ORDER, SYN_LT},
      [TOKEN_LE] = {LEVEL_ORDER, SYN_LE},
      [TOKEN_GT] = {LEVEL_ORDER, SYN_GT},
      [TOKEN_GE] = {LEVEL_ORDER, SYN_GE},
      [TOKEN_BITOR] = {LEVEL_BITOR, SYN_BITOR},
      [TOKEN_BITXOR] = {LEVEL_BITXOR, SYN_BITXOR},
      [TOKEN_BITAND] = {LEVEL_BITAND, SYN_BITAND},
      [TOKEN_SHL] = {LEVEL_SHIFT, SYN_SHL},
      [TOKEN_SHR] = {LEVEL_SHIFT, SYN_SHR},
      [TOKEN_PLUS] = {LEVEL_SUM, SYN_ADD},
      [TOKEN_MINUS] = {LEVEL_SUM, SYN_SUB},
      [TOKEN_TIMES] = {LEVEL_PRODUCT, SYN_MUL},
      [TOKEN_DIVIDE] = {LEVEL_PRODUCT, SYN_DIV},
      [TOKEN_MODULO] = {LEVEL_PRODUCT, SYN_MOD},
  };
  return all[kind];
}

static struct operator next_operator(const struct parser *p) {
  const enum syntax_op of_runs = p->temporal ? run_infix(&p->input->text, p->token) : SYN_NAME;
  return of_runs != SYN_NAME ? (struct operator){LEVEL_RUNS, of_runs} : operator_of(p->token.kind);
}

/* ---- chains of operators --------------------------------------------------------------------- */

/* An operand, with the operator before it. */
struct link {
  struct syntax_expr *operand;
  enum syntax_op op;
  source_at at;
};

/* Operands joined by operators of one precedence. */
struct chain {
  struct link *links;
  size_t n, cap;
};

static void chain_append(struct parser *p, struct chain *chain, struct link link) {
  *ARENA_PUSH(p->input->arena, chain->links, chain->n, chain->cap) = link;
}

/* Chains of more operands become balanced trees, so that their length is not nesting. */
enum { SHORT_CHAIN = 64 };

static enum syntax_op negated(enum syntax_op op, bool negate) {
  return !negate ? op : op == SYN_ADD ? SYN_SUB : SYN_ADD;
}

/* `negate`: + and - are exchanged. */
static struct syntax_expr *from_left(struct parser *p, const struct link *links, size_t n, bool negate) {
  struct syntax_expr *left = links[0].operand;
  for (size_t i = 1; i < n; i++)
    left = parser_binary(p, negated(links[i].op, negate), links[i].at, left, links[i].operand);
  return left;
}

/* a - b + c is a - (b - c): right of a minus the signs change. The order of evaluation is that of the operands. */
static struct syntax_expr *balanced(struct parser *p, const struct link *links, size_t n, bool negate) {
  const size_t half = n / 2;
  if (n <= SHORT_CHAIN)
    return from_left(p, links, n, negate);
  struct syntax_expr *left = balanced(p, links, half, negate);
  struct syntax_expr *right = balanced(p, links + half, n - half, links[half].op == SYN_SUB);
  return parser_binary(p, negated(links[half].op, negate), links[half].at, left, right);
}

static struct syntax_expr *from_right(struct parser *p, const struct chain *chain) {
  struct syntax_expr *right = chain->links[chain->n - 1].operand;
  for (size_t i = chain->n - 1; i > 0; i--)
    right = parser_binary(p, chain->links[i].op, chain->links[i].at, chain->links[i - 1].operand, right);
  return right;
}

static bool is_sum(enum syntax_op op) { return op == SYN_ADD || op == SYN_SUB; }

static bool is_associative(const struct chain *chain) {
  static const bool associative[] = {[SYN_OR] = true,     [SYN_AND] = true, [SYN_BITOR] = true, [SYN_BITXOR] = true,
                                     [SYN_BITAND] = true, [SYN_ADD] = true, [SYN_SUB] = true,   [SYN_MUL] = true};
  for (size_t i = 1; i < chain->n; i++) {
    const enum syntax_op op = chain->links[i].op;
    if ((size_t)op >= sizeof associative || !associative[op] || (op != chain->links[1].op && !is_sum(op)))
      return false;
  }
  return true;
}

static struct syntax_expr *chain_tree(struct parser *p, const struct chain *chain) {
  if (chain->n > 1 && chain->links[1].op >= SYN_UNTIL)
    return from_right(p, chain);
  return is_associative(chain) ? balanced(p, chain->links, chain->n, false)
                               : from_left(p, chain->links, chain->n, false);
}

static struct syntax_expr *binary(struct parser *p, enum precedence lowest);

/* Operators of the precedence of the next token; their first operand is `left`. */
static struct syntax_expr *chain_after(struct parser *p, struct syntax_expr *left) {
  const enum precedence precedence = next_operator(p).precedence;
  const bool compares = precedence == LEVEL_EQUAL || precedence == LEVEL_ORDER;
  struct chain chain = {0};
  chain_append(p, &chain, (struct link){.operand = left});
  while (next_operator(p).precedence == precedence) {
    struct link link = {.op = next_operator(p).op, .at = parser_at(p)};
    if (compares && chain.n > 1)
      parser_fail(p, link.at, "write 'a < b and b < c', or use brackets", "comparisons do not chain");
    parser_advance(p);
    link.operand = binary(p, precedence + 1);
    chain_append(p, &chain, link);
  }
  return chain_tree(p, &chain);
}

/* Precedence climbing: parses operators of `lowest` and higher precedence. */
static struct syntax_expr *binary(struct parser *p, enum precedence lowest) {
  struct syntax_expr *left = unary(p);
  for (;;) {
    const enum precedence next = next_operator(p).precedence;
    if (next == LEVEL_NONE || next < lowest)
      return left;
    left = chain_after(p, left);
  }
}

static struct syntax_expr *comparison(struct parser *p) { return binary(p, LEVEL_EQUAL); }

/* a implies (b implies c) is a and b implies c, also in the order of evaluation. */
static struct syntax_expr *implications(struct parser *p, const struct chain *chain) {
  const size_t last = chain->n - 1;
  if (chain->n > SHORT_CHAIN) {
    struct syntax_expr *premises = balanced(p, chain->links, last, false);
    return parser_binary(p, SYN_IMPLIES, chain->links[last].at, premises, chain->links[last].operand);
  }
  struct syntax_expr *right = chain->links[last].operand;
  for (size_t i = last; i > 0; i--)
    right = parser_binary(p, SYN_IMPLIES, chain->links[i].at, chain->links[i - 1].operand, right);
  return right;
}

static struct syntax_expr *implication(struct parser *p) {
  struct link link = {.operand = binary(p, LEVEL_OR), .op = SYN_AND, .at = parser_at(p)};
  struct chain chain = {0};
  chain_append(p, &chain, link);
  while (parser_accept(p, TOKEN_IMPLIES)) {
    link.operand = binary(p, LEVEL_OR);
    chain_append(p, &chain, link);
    link.at = parser_at(p);
  }
  return implications(p, &chain);
}

/* Lowest of all: p leadsto q leadsto r is p leadsto (q leadsto r). */
static struct syntax_expr *leads_to(struct parser *p) {
  struct syntax_expr *left = implication(p);
  const source_at at = parser_at(p);
  struct token last;
  if (!p->temporal || !run_leadsto(&p->input->text, p->token, &last) || !nest(p))
    return left;
  p->token = last;
  parser_advance(p);
  struct syntax_expr *expr = parser_binary(p, SYN_LEADSTO, at, left, leads_to(p));
  p->nesting--;
  return expr;
}

static struct syntax_expr *conditional(struct parser *p) {
  struct syntax_expr *condition = leads_to(p);
  source_at at = parser_at(p);
  if (!parser_accept(p, TOKEN_QUESTION))
    return condition;
  struct syntax_expr *expr = leaf(p, SYN_COND);
  expr->at = at;
  expr->start = condition->start;
  expr->a = condition;
  expr->b = parser_expression(p);
  parser_expect(p, TOKEN_COLON);
  expr->c = parser_expression(p);
  expr->end = expr->c->end;
  complete_node(p, expr);
  return expr;
}

struct syntax_expr *parser_expression(struct parser *p) {
  struct syntax_expr *expr = nest(p) ? conditional(p) : parser_number(p, 0);
  p->nesting--;
  return expr;
}
