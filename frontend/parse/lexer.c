#include "frontend/parse/lexer.h"

#include "base/utf8.h"

#include <string.h>

struct spelling {
  enum token_kind kind;
  const char *symbol, *word;
};

#define LEXER_SPELLING(token, symbol, word) {token, symbol, word},
/* Longer symbols come before their prefixes. */
static const struct spelling spellings[] = {LEXER_SYMBOLS(LEXER_SPELLING) LEXER_WORDS(LEXER_SPELLING)};
#undef LEXER_SPELLING
#define SPELLINGS (sizeof spellings / sizeof *spellings)

/* Not <ctype.h>: the language does not depend on the locale. */
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static const struct spelling *find_word(const char *word, size_t length) {
  for (size_t i = 0; i < SPELLINGS; i++) {
    const char *other = spellings[i].word;
    if (other && strlen(other) == length && !memcmp(other, word, length))
      return &spellings[i];
  }
  return NULL;
}

static struct token lex_word(const struct located_text *text, size_t from) {
  size_t end = from;
  while (is_letter(text->text[end]) || is_digit(text->text[end]))
    end++;
  const struct spelling *word = find_word(text->text + from, end - from);
  return (struct token){word ? word->kind : TOKEN_NAME, from, end, 0};
}

static struct token lex_number(const struct located_text *text, size_t from) {
  struct token token = {TOKEN_NUMBER, from, from, 0};
  for (; is_digit(text->text[token.end]); token.end++)
    if (__builtin_mul_overflow(token.value, 10, &token.value) ||
        __builtin_add_overflow(token.value, text->text[token.end] - '0', &token.value))
      token.kind = TOKEN_TOO_LARGE;
  return token;
}

static struct token lex_symbol(const struct located_text *text, size_t from) {
  for (size_t i = 0; i < SPELLINGS; i++) {
    const char *symbol = spellings[i].symbol;
    size_t length = symbol ? strlen(symbol) : 0;
    if (length && !strncmp(text->text + from, symbol, length))
      return (struct token){spellings[i].kind, from, from + length, 0};
  }
  size_t length = utf8_step(text->text + from, text->length - from);
  return (struct token){TOKEN_UNKNOWN, from, from + length, 0};
}

struct token lex(const struct located_text *text, size_t from) {
  while (from < text->length && is_blank(text->text[from]))
    from++;
  if (from == text->length)
    return (struct token){TOKEN_END, from, from, 0};
  char c = text->text[from];
  return is_digit(c) ? lex_number(text, from) : is_letter(c) ? lex_word(text, from) : lex_symbol(text, from);
}

const char *token_spelling(enum token_kind kind) {
  if ((size_t)kind >= SPELLINGS)
    return NULL;
  return spellings[kind].symbol ? spellings[kind].symbol : spellings[kind].word;
}

bool is_name(const char *text) {
  if (!is_letter(text[0]) || !strcmp(text, "_"))
    return false;
  size_t i = 1;
  while (is_letter(text[i]) || is_digit(text[i]))
    i++;
  return text[i] == '\0';
}

bool token_is_name(enum token_kind kind) { return kind >= TOKEN_ALL && kind <= TOKEN_NAME; }

bool token_is_word(const struct located_text *text, struct token token, const char *word) {
  const size_t length = strlen(word);
  return token_is_name(token.kind) && token.end - token.begin == length &&
         memcmp(text->text + token.begin, word, length) == 0;
}

bool is_function(const char *text) {
  const struct spelling *word = find_word(text, strlen(text));
  return word && word->kind >= TOKEN_ALL && word->kind <= TOKEN_FULL;
}

bool is_reserved(const char *text) {
  const struct spelling *word = find_word(text, strlen(text));
  return word && !token_is_name(word->kind);
}
