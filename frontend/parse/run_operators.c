#include "frontend/parse/run_operators.h"

#include <string.h>

struct run_operator {
  const char *word, *letter;
  enum syntax_op op;
};

static const struct run_operator prefixes[] = {
    {"always", "G", SYN_ALWAYS}, {"eventually", "F", SYN_EVENTUALLY}, {"next", "X", SYN_NEXT}};
static const struct run_operator infixes[] = {
    {"until", "U", SYN_UNTIL}, {"weakuntil", "W", SYN_WEAK_UNTIL}, {"release", "R", SYN_RELEASE}};
enum { OPERATORS = 3 };

static bool has_text(const struct parser *p, struct token token, const char *text) {
  const size_t length = strlen(text);
  return token.end - token.begin == length && memcmp(p->input->text.text + token.begin, text, length) == 0;
}

static enum syntax_op named(const struct parser *p, struct token token, const struct run_operator *all) {
  for (size_t i = 0; token_is_name(token.kind) && i < OPERATORS; i++)
    if (has_text(p, token, all[i].word) || has_text(p, token, all[i].letter))
      return all[i].op;
  return SYN_NAME;
}

static struct token after(const struct parser *p, struct token token) { return lex(&p->input->text, token.end); }

/* Both tokens stand side by side. */
static bool is_pair(const struct parser *p, struct token token, enum token_kind first, enum token_kind second) {
  const struct token next = after(p, token);
  return token.kind == first && next.kind == second && next.begin == token.end;
}

static bool begins_operand(const struct parser *p, struct token token) {
  switch (token.kind) {
  case TOKEN_NUMBER:
  case TOKEN_TRUE:
  case TOKEN_FALSE:
  case TOKEN_SELF:
  case TOKEN_OPEN:
  case TOKEN_NOT:
  case TOKEN_BITNOT:
    return true;
  default: /* a name that is an infix operator follows an operand */
    return (token_is_name(token.kind) && named(p, token, infixes) == SYN_NAME && !has_text(p, token, "leadsto")) ||
           is_pair(p, token, TOKEN_OPEN_INDEX, TOKEN_CLOSE_INDEX) || is_pair(p, token, TOKEN_LT, TOKEN_GT);
  }
}

enum syntax_op run_prefix(const struct parser *p) {
  if (is_pair(p, p->token, TOKEN_OPEN_INDEX, TOKEN_CLOSE_INDEX))
    return SYN_ALWAYS;
  if (is_pair(p, p->token, TOKEN_LT, TOKEN_GT))
    return SYN_EVENTUALLY;
  return begins_operand(p, after(p, p->token)) ? named(p, p->token, prefixes) : SYN_NAME;
}

void run_prefix_take(struct parser *p) {
  if (!token_is_name(p->token.kind)) /* the first character of [] or <> */
    parser_advance(p);
  parser_advance(p);
}

enum syntax_op run_infix(const struct parser *p) { return named(p, p->token, infixes); }

bool run_leadsto_take(struct parser *p) {
  if (is_pair(p, p->token, TOKEN_DECREMENT, TOKEN_GT))
    parser_advance(p);
  else if (!token_is_name(p->token.kind) || !has_text(p, p->token, "leadsto"))
    return false;
  parser_advance(p);
  return true;
}
