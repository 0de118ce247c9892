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

static enum syntax_op named(const struct located_text *text, struct token token, const struct run_operator *all) {
  for (size_t i = 0; i < OPERATORS; i++)
    if (token_is_word(text, token, all[i].word) || token_is_word(text, token, all[i].letter))
      return all[i].op;
  return SYN_NAME;
}

static struct token after(const struct located_text *text, struct token token) { return lex(text, token.end); }

/* Both tokens stand side by side. */
static bool is_pair(const struct located_text *text, struct token token, enum token_kind first,
                    enum token_kind second) {
  const struct token next = after(text, token);
  return token.kind == first && next.kind == second && next.begin == token.end;
}

static bool is_infix(const struct located_text *text, struct token token) {
  return named(text, token, infixes) != SYN_NAME || token_is_word(text, token, "leadsto");
}

/* A token that is no name of an infix operator. */
static bool begins_other_operand(const struct located_text *text, struct token token) {
  switch (token.kind) {
  case TOKEN_NUMBER:
  case TOKEN_TRUE:
  case TOKEN_FALSE:
  case TOKEN_SELF:
  case TOKEN_OPEN:
  case TOKEN_NOT:
  case TOKEN_BITNOT:
    return true;
  default:
    return token_is_name(token.kind) || is_pair(text, token, TOKEN_OPEN_INDEX, TOKEN_CLOSE_INDEX) ||
           is_pair(text, token, TOKEN_LT, TOKEN_GT);
  }
}

/* The name of an infix operator is the operator where an operand follows, else it is an operand. */
static bool begins_operand(const struct located_text *text, struct token token) {
  bool operator_before = false;
  for (; token_is_name(token.kind) && is_infix(text, token); token = after(text, token))
    operator_before = !operator_before;
  return begins_other_operand(text, token) != operator_before;
}

enum syntax_op run_prefix(const struct located_text *text, struct token token, struct token *last) {
  const bool always = is_pair(text, token, TOKEN_OPEN_INDEX, TOKEN_CLOSE_INDEX);
  *last = token;
  if (always || is_pair(text, token, TOKEN_LT, TOKEN_GT)) {
    *last = after(text, token);
    return always ? SYN_ALWAYS : SYN_EVENTUALLY;
  }
  const enum syntax_op op = named(text, token, prefixes);
  return op != SYN_NAME && begins_operand(text, after(text, token)) ? op : SYN_NAME;
}

enum syntax_op run_infix(const struct located_text *text, struct token token) { return named(text, token, infixes); }

enum syntax_op run_function(const struct located_text *text, struct token token) {
  if (after(text, token).kind != TOKEN_OPEN)
    return SYN_NAME;
  return token_is_word(text, token, "enabled") ? SYN_ENABLED
         : token_is_word(text, token, "taken") ? SYN_TAKEN
                                               : SYN_NAME;
}

bool run_leadsto(const struct located_text *text, struct token token, struct token *last) {
  const bool is_arrow = is_pair(text, token, TOKEN_DECREMENT, TOKEN_GT);
  *last = is_arrow ? after(text, token) : token;
  return is_arrow || token_is_word(text, token, "leadsto");
}
