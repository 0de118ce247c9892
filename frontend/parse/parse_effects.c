/* Statements: assignments, assertions, loops and branches. `for`, `if` and `else` are contextual keywords: elsewhere
   they are names. */
#include "frontend/parse/parse.h"
#include "frontend/parse/parser.h"

#include <string.h>

#define MAX_BLOCKS 64 /* nesting of loops and branches */
#define STATEMENT "a variable, 'assert', 'for' or 'if'"
#define FUNCTION_STATEMENT "a variable, 'var', 'return', 'for' or 'if'"
#define PUSH(p, list, count, cap) ARENA_PUSH((p)->input->arena, list, count, cap)

struct statements {
  struct syntax_statement *items;
  size_t n, cap;
};

static struct syntax_statement parse_assertion(struct parser *p) {
  struct syntax_statement statement = {.kind = STATEMENT_ASSERT, .at = parser_at(p)};
  if (p->in_function)
    parser_fail(p, parser_at(p), "assert in the effect that calls the function", "a function contains no assertions");
  parser_advance(p);
  parser_expect(p, TOKEN_OPEN);
  statement.value = parser_expression(p);
  parser_expect(p, TOKEN_CLOSE);
  return statement;
}

/* The value assigned: `x += e` is x = x + e, `x++` is x = x + 1. */
static struct syntax_expr *assigned_value(struct parser *p, struct syntax_expr *target) {
  enum token_kind kind = p->token.kind;
  source_at at = parser_at(p);
  if (kind == TOKEN_EQ)
    parser_fail(p, at, "to assign, write '='", "'==' compares, it does not assign");
  if (kind == TOKEN_INCREMENT || kind == TOKEN_DECREMENT) {
    struct syntax_expr *one = parser_number(p, 1);
    parser_advance(p);
    return parser_binary(p, kind == TOKEN_INCREMENT ? SYN_ADD : SYN_SUB, at, target, one);
  }
  if (parser_accept(p, TOKEN_ASSIGN))
    return parser_expression(p);
  if (kind != TOKEN_PLUS_ASSIGN && kind != TOKEN_MINUS_ASSIGN)
    parser_expected(p, "'=', '+=', '-=', '++' or '--'");
  parser_advance(p);
  return parser_binary(p, kind == TOKEN_PLUS_ASSIGN ? SYN_ADD : SYN_SUB, at, target, parser_expression(p));
}

/* ---- words ----------------------------------------------------------------------------------- */

static struct token token_after(const struct parser *p, const struct token *token) {
  return lex(&p->input->text, token->end);
}

/* A variable of this name is followed by an assignment operator. */
static bool is_keyword(const struct parser *p, const struct token *token, const char *word) {
  if (!token_is_word(&p->input->text, *token, word))
    return false;
  switch (token_after(p, token).kind) {
  case TOKEN_ASSIGN:
  case TOKEN_PLUS_ASSIGN:
  case TOKEN_MINUS_ASSIGN:
  case TOKEN_INCREMENT:
  case TOKEN_DECREMENT:
  case TOKEN_OPEN_INDEX:
  case TOKEN_EQ: /* probably meant as an assignment */
    return false;
  default:
    return true;
  }
}

static struct syntax_statement assignment(struct parser *p) {
  struct syntax_statement result = {.kind = STATEMENT_ASSIGN, .at = parser_at(p)};
  if (is_keyword(p, &p->token, "else"))
    parser_fail(p, parser_at(p), NULL, "this 'else' has no 'if'");
  if (!token_is_name(p->token.kind))
    parser_expected(p, p->in_function ? FUNCTION_STATEMENT : STATEMENT);
  result.target = parser_target(p);
  result.value = assigned_value(p, result.target);
  return result;
}

/* ---- statements of functions ----------------------------------------------------------------- */

static bool is_local(const struct parser *p) {
  return p->in_function && token_is_word(&p->input->text, p->token, "var") &&
         token_is_name(token_after(p, &p->token).kind);
}

static struct syntax_statement parse_local(struct parser *p) {
  struct syntax_statement result = {.kind = STATEMENT_LOCAL, .at = parser_at(p)};
  parser_advance(p);
  result.name = parser_name(p);
  parser_expect(p, TOKEN_ASSIGN);
  result.value = parser_expression(p);
  return result;
}

static bool is_return(const struct parser *p) { return p->in_function && is_keyword(p, &p->token, "return"); }

static struct syntax_statement parse_return(struct parser *p) {
  struct syntax_statement result = {
      .kind = STATEMENT_RETURN, .at = parser_at(p), .returns = true, .always_returns = true};
  parser_advance(p);
  result.value = parser_expression(p);
  return result;
}

static bool some_returns(const struct syntax_statement *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (list[i].returns)
      return true;
  return false;
}

static bool list_returns(const struct syntax_statement *list, size_t n) { return n && list[n - 1].always_returns; }

static void note_returns(struct syntax_statement *s) {
  s->returns = some_returns(s->body, s->body_count) || some_returns(s->otherwise, s->otherwise_count);
  s->always_returns =
      s->kind == STATEMENT_IF && list_returns(s->body, s->body_count) && list_returns(s->otherwise, s->otherwise_count);
}

/* ---- loops and branches ---------------------------------------------------------------------- */

static struct syntax_statement statement(struct parser *p, unsigned blocks, bool *closed);

/* Parses statements up to the end of the text or of the block. */
static struct statements parse_statements(struct parser *p, unsigned blocks) {
  struct statements list = {0};
  bool more = true;
  while (more && !p->failed && p->token.kind != TOKEN_END && p->token.kind != TOKEN_CLOSE_BLOCK) {
    bool closed;
    if (list_returns(list.items, list.n))
      parser_fail(p, parser_at(p), NULL, "this statement is never reached: every path before it returns");
    struct syntax_statement next = statement(p, blocks, &closed);
    *PUSH(p, list.items, list.n, list.cap) = next;
    more = parser_accept(p, TOKEN_SEMICOLON) || closed;
  }
  return list;
}

/* Parses a statement or block. `closed`: it ended with a brace, so no ';' is needed. */
static struct statements parse_body(struct parser *p, unsigned blocks, bool *closed) {
  struct statements list = {0};
  *closed = false;
  if (parser_accept(p, TOKEN_OPEN_BLOCK)) {
    list = parse_statements(p, blocks);
    if (!parser_accept(p, TOKEN_CLOSE_BLOCK))
      parser_expected(p, "an operator, ';' or '}'");
    *closed = true;
    return list;
  }
  struct syntax_statement only = statement(p, blocks, closed);
  *PUSH(p, list.items, list.n, list.cap) = only;
  return list;
}

/* After the keyword. */
static void parse_loop(struct parser *p, struct syntax_statement *result, unsigned blocks, bool *closed) {
  result->kind = STATEMENT_FOR;
  result->name = parser_name(p);
  parser_expect(p, TOKEN_IN);
  result->range = parser_range(p, true);
  parser_expect(p, TOKEN_COLON);
  struct statements list = parse_body(p, blocks, closed);
  result->body = list.items;
  result->body_count = list.n;
}

/* A ';' before `else` belongs to the branch. */
static bool accept_else(struct parser *p) {
  if (p->failed)
    return false;
  if (p->token.kind == TOKEN_SEMICOLON) {
    struct token next = token_after(p, &p->token);
    if (is_keyword(p, &next, "else"))
      parser_advance(p);
  }
  if (!is_keyword(p, &p->token, "else"))
    return false;
  parser_advance(p);
  return true;
}

/* Behind the word. */
static void parse_branch(struct parser *p, struct syntax_statement *result, unsigned blocks, bool *closed) {
  result->kind = STATEMENT_IF;
  parser_expect(p, TOKEN_OPEN);
  result->value = parser_expression(p);
  parser_expect(p, TOKEN_CLOSE);
  struct statements list = parse_body(p, blocks, closed);
  result->body = list.items;
  result->body_count = list.n;
  if (!accept_else(p))
    return;
  list = parse_body(p, blocks, closed);
  result->otherwise = list.items;
  result->otherwise_count = list.n;
}

static struct syntax_statement statement(struct parser *p, unsigned blocks, bool *closed) {
  struct syntax_statement result = {.at = parser_at(p)};
  const bool loops = is_keyword(p, &p->token, "for"), branches = is_keyword(p, &p->token, "if");
  *closed = false;
  if (is_local(p) || is_return(p))
    return is_local(p) ? parse_local(p) : parse_return(p);
  if (!loops && !branches)
    return p->token.kind == TOKEN_ASSERT && parser_is_call(p) ? parse_assertion(p) : assignment(p);
  if (blocks == MAX_BLOCKS)
    parser_fail(p, parser_at(p), NULL, "loops and branches are nested more than %d deep", MAX_BLOCKS);
  parser_advance(p);
  if (loops)
    parse_loop(p, &result, blocks + 1, closed);
  else
    parse_branch(p, &result, blocks + 1, closed);
  note_returns(&result);
  return result;
}

floe_status parse_effects(const struct parser_input *input, struct syntax_transition *out) {
  struct parser p;
  parser_init(&p, input);
  if (p.token.kind == TOKEN_END)
    parser_expected(&p, STATEMENT);
  struct statements list = parse_statements(&p, 0);
  out->effects = list.items;
  out->effect_count = list.n;
  return parser_finish(&p, "an operator, ';' or the end");
}

floe_status parse_function(const struct parser_input *input, struct syntax_define *out) {
  struct parser p;
  parser_init(&p, input);
  p.in_function = true;
  if (p.token.kind == TOKEN_END)
    parser_expected(&p, FUNCTION_STATEMENT);
  struct statements list = parse_statements(&p, 0);
  out->body = list.items;
  out->body_count = list.n;
  floe_status status = parser_finish(&p, "an operator, ';' or the end");
  if (status == FLOE_OK && !list_returns(list.items, list.n))
    parser_fail(&p, out->at, "write 'return e' at the end", "function '%s' can end without a value", out->name);
  return p.failed ? FLOE_ERROR_MODEL : status;
}
