#include "frontend/dve/parse/dve_lexer.h"

#include "base/utf8.h"
#include "frontend/parse/lexer_text.h"

#include <stdint.h>
#include <string.h>

struct spelling {
  enum dve_token_kind kind;
  const char *symbol, *word;
};

#define DVE_SPELLING(token, symbol, word) {token, symbol, word},
static const struct spelling spellings[] = {DVE_TOKENS(DVE_SPELLING)};
#undef DVE_SPELLING
#define SPELLINGS (sizeof spellings / sizeof *spellings)

static bool is_in_name(char c) { return is_letter(c) || is_digit(c) || c == '$' || c == '#'; }

/* "\", blanks, end of line. 0: there is none. */
static size_t continuation_length(struct text text) {
  size_t n = 1;
  while (n < text.length && (text.at[n] == ' ' || text.at[n] == '\t' || text.at[n] == '\r'))
    n++;
  return n < text.length && text.at[n] == '\n' ? n + 1 : 0;
}

/* Bytes that separate tokens, at the start of the text. */
static size_t separator_length(struct text text) {
  if (!text.length)
    return 0;
  return is_blank(text.at[0])      ? 1
         : text_starts(text, "//") ? text_line_length(text)
         : text_starts(text, "/*") ? text_comment_length(text)
         : text.at[0] == '\\'      ? continuation_length(text)
                                   : 0;
}

source_at dve_skip(const struct source *source, source_at from) {
  for (size_t n; (n = separator_length(text_from(source, from))); from += (source_at)n)
    ;
  return from;
}

static size_t lex_word(struct text text, struct dve_token *token) {
  size_t n = 1;
  while (n < text.length && is_in_name(text.at[n]))
    n++;
  token->kind = DVE_TOKEN_NAME;
  for (size_t i = 0; i < SPELLINGS; i++) {
    const char *word = spellings[i].word;
    if (word && strlen(word) == n && memcmp(word, text.at, n) == 0)
      token->kind = spellings[i].kind;
  }
  return n;
}

static size_t lex_number(struct text text, struct dve_token *token) {
  size_t n = 0;
  token->kind = DVE_TOKEN_NUMBER;
  for (; n < text.length && is_digit(text.at[n]); n++) {
    token->value = token->value * 10 + (text.at[n] - '0');
    if (token->value > INT32_MAX) {
      token->kind = DVE_TOKEN_TOO_LARGE;
      token->value = INT32_MAX;
    }
  }
  return n;
}

static size_t lex_symbol(struct text text, struct dve_token *token) {
  for (size_t i = 0; i < SPELLINGS; i++)
    if (spellings[i].symbol && text_starts(text, spellings[i].symbol)) {
      token->kind = spellings[i].kind;
      return strlen(spellings[i].symbol);
    }
  token->kind = DVE_TOKEN_UNKNOWN;
  return utf8_step(text.at, text.length);
}

struct dve_token dve_lex(const struct source *source, source_at from) {
  struct dve_token token = {.kind = DVE_TOKEN_END, .begin = dve_skip(source, from)};
  const struct text text = text_from(source, token.begin);
  size_t n = 0;
  if (text_starts(text, "/*")) {
    token.kind = DVE_TOKEN_COMMENT;
    n = text.length;
  } else if (text.length) {
    n = is_digit(text.at[0])    ? lex_number(text, &token)
        : is_letter(text.at[0]) ? lex_word(text, &token)
                                : lex_symbol(text, &token);
  }
  token.end = token.begin + (source_at)n;
  return token;
}

const char *dve_token_spelling(enum dve_token_kind kind) {
  if ((size_t)kind >= SPELLINGS)
    return NULL;
  return spellings[kind].symbol ? spellings[kind].symbol : spellings[kind].word;
}

bool dve_token_is(const struct source *source, const struct dve_token *token, const char *word) {
  const size_t n = strlen(word);
  return token->end - token->begin == n && memcmp(source->text + (token->begin - source->base), word, n) == 0;
}
