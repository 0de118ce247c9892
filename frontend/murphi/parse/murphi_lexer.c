#include "frontend/murphi/parse/murphi_lexer.h"

#include "base/utf8.h"
#include "frontend/parse/lexer_text.h"

#include <string.h>

struct symbol_spelling {
  enum mu_token_kind kind;
  const char *text, *other;
};
struct word_spelling {
  enum mu_token_kind kind;
  const char *text;
};

#define MU_SYMBOL_SPELLING(token, text, other) {token, text, other},
#define MU_WORD_SPELLING(token, text) {token, text},
static const struct symbol_spelling symbols[] = {MU_SYMBOLS(MU_SYMBOL_SPELLING)};
static const struct word_spelling words[] = {MU_WORDS(MU_WORD_SPELLING)};
#undef MU_SYMBOL_SPELLING
#undef MU_WORD_SPELLING

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static size_t separator_length(struct text text) {
  return !text.length              ? 0
         : is_blank(text.at[0])    ? 1
         : text_starts(text, "--") ? text_line_length(text)
         : text_starts(text, "/*") ? text_comment_length(text)
                                   : 0;
}

source_at mu_skip(const struct source *source, source_at from) {
  for (size_t n; (n = separator_length(text_from(source, from))); from += (source_at)n)
    ;
  return from;
}

static bool is_spelled(struct text text, size_t n, const char *word) {
  if (strlen(word) != n)
    return false;
  for (size_t i = 0; i < n; i++)
    if (lower(text.at[i]) != word[i])
      return false;
  return true;
}

static size_t lex_word(struct text text, struct mu_token *token) {
  size_t n = 1;
  while (n < text.length && (is_letter(text.at[n]) || is_digit(text.at[n])))
    n++;
  token->kind = MU_NAME;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (is_spelled(text, n, words[i].text))
      token->kind = words[i].kind;
  return n;
}

static int digit_value(char c, int64_t base) {
  const int value = is_digit(c) ? c - '0' : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : 16;
  return value < base ? value : -1;
}

static size_t lex_number(struct text text, struct mu_token *token) {
  const bool hexadecimal =
      text.length > 2 && text.at[0] == '0' && lower(text.at[1]) == 'x' && digit_value(text.at[2], 16) >= 0;
  const int64_t base = hexadecimal ? 16 : 10;
  size_t n = hexadecimal ? 2 : 0;
  token->kind = MU_NUMBER;
  token->leading_zero = !hexadecimal && text.length > 1 && text.at[0] == '0' && is_digit(text.at[1]);
  for (; n < text.length && digit_value(text.at[n], base) >= 0; n++) {
    const int digit = digit_value(text.at[n], base);
    if (token->value > (INT64_MAX - digit) / base)
      token->kind = MU_TOO_LARGE;
    else
      token->value = token->value * base + digit;
  }
  return n;
}

static size_t quote_length(struct text text) {
  return text_starts(text, "\"") ? 1 : text_starts(text, "\xe2\x80\x9c") || text_starts(text, "\xe2\x80\x9d") ? 3 : 0;
}

/* A string ends on its line; a backslash takes the quotation mark behind it into the string. */
static size_t lex_string(struct text text, struct mu_token *token) {
  size_t n = quote_length(text);
  token->quote = (unsigned)n;
  token->kind = MU_STRING;
  while (n < text.length && text.at[n] != '\n') {
    const size_t end = quote_length((struct text){text.at + n, text.length - n});
    if (end == token->quote)
      return n + end;
    n += text.at[n] == '\\' && n + 1 < text.length && text.at[n + 1] != '\n' ? 2 : 1;
  }
  token->kind = MU_OPEN_STRING;
  return n;
}

static size_t lex_symbol(struct text text, struct mu_token *token) {
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    const bool first = text_starts(text, symbols[i].text);
    if (!first && !(symbols[i].other && text_starts(text, symbols[i].other)))
      continue;
    token->kind = symbols[i].kind;
    return strlen(first ? symbols[i].text : symbols[i].other);
  }
  token->kind = MU_UNKNOWN;
  return utf8_step(text.at, text.length);
}

struct mu_token mu_lex(const struct source *source, source_at from) {
  struct mu_token token = {.kind = MU_END_OF_FILE, .begin = mu_skip(source, from)};
  const struct text text = text_from(source, token.begin);
  size_t n = 0;
  if (text_starts(text, "/*")) {
    token.kind = MU_OPEN_COMMENT;
    n = text.length;
  } else if (text.length)
    n = is_digit(text.at[0])    ? lex_number(text, &token)
        : is_letter(text.at[0]) ? lex_word(text, &token)
        : quote_length(text)    ? lex_string(text, &token)
                                : lex_symbol(text, &token);
  token.end = token.begin + (source_at)n;
  return token;
}

bool mu_is_include(const struct source *source, struct mu_token token) {
  const struct text text = text_from(source, token.begin);
  return token.kind == MU_NAME && is_spelled(text, token.end - token.begin, "include") &&
         mu_lex(source, token.end).kind == MU_STRING;
}

const char *mu_token_spelling(enum mu_token_kind kind) {
  if (kind < MU_W_ALIAS)
    return symbols[kind].text;
  return kind < MU_NAME ? words[kind - MU_W_ALIAS].text : NULL;
}
