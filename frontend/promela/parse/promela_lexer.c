#include "frontend/promela/parse/promela_lexer.h"

#include "base/utf8.h"
#include "frontend/parse/lexer_text.h"

#include <string.h>

struct spelling {
  enum pr_token_kind kind;
  const char *text;
};
#define PR_SPELLING(token, text) {token, text},
static const struct spelling symbols[] = {PR_SYMBOLS(PR_SPELLING)};
static const struct spelling words[] = {PR_WORDS(PR_SPELLING)};
#undef PR_SPELLING

/* Also of a backslash before the end of a line. */
static size_t separator_length(struct text text) {
  return !text.length                              ? 0
         : is_blank(text.at[0])                    ? 1
         : text.at[0] != '\\' && text.at[0] != '/' ? 0
         : text_starts(text, "\\\n")               ? 2
         : text_starts(text, "\\\r\n")             ? 3
         : text_starts(text, "//")                 ? text_line_length(text)
         : text_starts(text, "/*")                 ? text_comment_length(text)
                                                   : 0;
}

static size_t lex_word(struct text text, struct pr_token *token) {
  size_t n = 1;
  while (n < text.length && (is_letter(text.at[n]) || is_digit(text.at[n])))
    n++;
  token->kind = PR_NAME;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].text[0] == text.at[0] && strlen(words[i].text) == n && memcmp(words[i].text, text.at, n) == 0)
      token->kind = words[i].kind;
  return n;
}

static size_t lex_number(struct text text, struct pr_token *token) {
  size_t n = 0;
  token->kind = PR_NUMBER;
  for (; n < text.length && is_digit(text.at[n]); n++) {
    const int digit = text.at[n] - '0';
    if (token->value > (INT64_MAX - digit) / 10)
      token->kind = PR_TOO_LARGE;
    else
      token->value = token->value * 10 + digit;
  }
  return n;
}

/* 'c', '\n': a number. */
static size_t lex_character(struct text text, struct pr_token *token) {
  static const char escapes[][2] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'f', '\f'}};
  if (text.length >= 3 && text.at[1] != '\\' && text.at[2] == '\'') {
    token->kind = PR_NUMBER;
    token->value = (unsigned char)text.at[1];
    return 3;
  }
  if (text.length >= 4 && text.at[1] == '\\' && text.at[3] == '\'') {
    token->kind = PR_NUMBER;
    token->value = (unsigned char)text.at[2];
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
      if (escapes[i][0] == text.at[2])
        token->value = escapes[i][1];
    return 4;
  }
  token->kind = PR_UNKNOWN;
  return 1;
}

static size_t lex_string(struct text text, struct pr_token *token) {
  token->kind = PR_STRING;
  for (size_t n = 1; n < text.length && text.at[n] != '\n'; n++) {
    if (text.at[n] == '"')
      return n + 1;
    n += text.at[n] == '\\' && n + 1 < text.length && text.at[n + 1] != '\n';
  }
  token->kind = PR_OPEN_STRING;
  return text_line_length(text);
}

static size_t lex_symbol(struct text text, struct pr_token *token) {
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
    if (symbols[i].text[0] == text.at[0] && text_starts(text, symbols[i].text)) {
      token->kind = symbols[i].kind;
      return strlen(symbols[i].text);
    }
  token->kind = PR_UNKNOWN;
  return utf8_step(text.at, text.length);
}

struct pr_token pr_lex(const struct source *source, source_at from) {
  struct pr_token token = {.kind = PR_END, .begin = from, .new_line = from == source->base};
  struct text text = text_from(source, from);
  for (size_t n; (n = separator_length(text)); text = text_from(source, token.begin)) {
    token.new_line |= text.at[0] == '\n';
    token.spaced = true;
    token.begin += (source_at)n;
  }
  size_t n = 0;
  if (text_starts(text, "/*")) {
    token.kind = PR_OPEN_COMMENT;
    n = text.length;
  } else if (text.length)
    n = is_digit(text.at[0])    ? lex_number(text, &token)
        : is_letter(text.at[0]) ? lex_word(text, &token)
        : text.at[0] == '"'     ? lex_string(text, &token)
        : text.at[0] == '\''    ? lex_character(text, &token)
                                : lex_symbol(text, &token);
  token.end = token.begin + (source_at)n;
  return token;
}

const char *pr_token_spelling(enum pr_token_kind kind) {
  if (kind < PR_W_ACTIVE)
    return symbols[kind].text;
  return kind < PR_NAME ? words[kind - PR_W_ACTIVE].text : NULL;
}

unsigned pr_binary_level(enum pr_token_kind kind) {
  switch (kind) {
  case PR_OR:
    return 2;
  case PR_AND:
    return 3;
  case PR_BAR:
    return 5;
  case PR_CARET:
    return 6;
  case PR_AMPERSAND:
    return 7;
  case PR_EQ:
  case PR_NE:
    return 8;
  case PR_LT:
  case PR_LE:
  case PR_GT:
  case PR_GE:
    return 9;
  case PR_SHL:
  case PR_SHR:
    return 10;
  case PR_PLUS:
  case PR_MINUS:
    return 11;
  case PR_STAR:
  case PR_SLASH:
  case PR_PERCENT:
    return 12;
  default:
    return 0;
  }
}
