/* Tokens of expressions and statements. */
#ifndef FLOE_FRONTEND_PARSE_LEXER_H
#define FLOE_FRONTEND_PARSE_LEXER_H

#include "core/diag.h"

#include <stdbool.h>

/* X(token, symbol, word): symbol and word are the same token. The words are reserved. */
#define LEXER_SYMBOLS(X)                                                                                               \
  X(TOKEN_DOTS, "..", NULL)                                                                                            \
  X(TOKEN_EQ, "==", "eq")                                                                                              \
  X(TOKEN_NE, "!=", "ne")                                                                                              \
  X(TOKEN_SHL, "<<", "shl")                                                                                            \
  X(TOKEN_SHR, ">>", "shr")                                                                                            \
  X(TOKEN_LE, "<=", "le")                                                                                              \
  X(TOKEN_GE, ">=", "ge")                                                                                              \
  X(TOKEN_AND, "&&", "and")                                                                                            \
  X(TOKEN_OR, "||", "or")                                                                                              \
  X(TOKEN_PLUS_ASSIGN, "+=", NULL)                                                                                     \
  X(TOKEN_MINUS_ASSIGN, "-=", NULL)                                                                                    \
  X(TOKEN_INCREMENT, "++", NULL)                                                                                       \
  X(TOKEN_DECREMENT, "--", NULL)                                                                                       \
  X(TOKEN_OPEN, "(", NULL)                                                                                             \
  X(TOKEN_CLOSE, ")", NULL)                                                                                            \
  X(TOKEN_OPEN_INDEX, "[", NULL)                                                                                       \
  X(TOKEN_CLOSE_INDEX, "]", NULL)                                                                                      \
  X(TOKEN_OPEN_BLOCK, "{", NULL)                                                                                       \
  X(TOKEN_CLOSE_BLOCK, "}", NULL)                                                                                      \
  X(TOKEN_COMMA, ",", NULL)                                                                                            \
  X(TOKEN_SEMICOLON, ";", NULL)                                                                                        \
  X(TOKEN_COLON, ":", NULL)                                                                                            \
  X(TOKEN_QUESTION, "?", NULL)                                                                                         \
  X(TOKEN_DOT, ".", NULL)                                                                                              \
  X(TOKEN_PLUS, "+", NULL)                                                                                             \
  X(TOKEN_MINUS, "-", NULL)                                                                                            \
  X(TOKEN_TIMES, "*", NULL)                                                                                            \
  X(TOKEN_DIVIDE, "/", NULL)                                                                                           \
  X(TOKEN_MODULO, "%", NULL)                                                                                           \
  X(TOKEN_NOT, "!", "not")                                                                                             \
  X(TOKEN_LT, "<", "lt")                                                                                               \
  X(TOKEN_GT, ">", "gt")                                                                                               \
  X(TOKEN_ASSIGN, "=", NULL)                                                                                           \
  X(TOKEN_BITNOT, "~", "bitnot")                                                                                       \
  X(TOKEN_BITAND, "&", "bitand")                                                                                       \
  X(TOKEN_BITXOR, "^", "bitxor")                                                                                       \
  X(TOKEN_BITOR, "|", "bitor")                                                                                         \
  X(TOKEN_IMPLIES, NULL, "implies")                                                                                    \
  X(TOKEN_TRUE, NULL, "true")                                                                                          \
  X(TOKEN_FALSE, NULL, "false")                                                                                        \
  X(TOKEN_SELF, NULL, "self")                                                                                          \
  X(TOKEN_BOOL, NULL, "bool")                                                                                          \
  X(TOKEN_DROP, NULL, "_")

/* Contextual keywords: functions before '(', `in` after a bound name. Elsewhere they are names (token_is_name). */
#define LEXER_WORDS(X)                                                                                                 \
  X(TOKEN_ALL, NULL, "all")                                                                                            \
  X(TOKEN_EXISTS, NULL, "exists")                                                                                      \
  X(TOKEN_COUNT, NULL, "count")                                                                                        \
  X(TOKEN_SUM, NULL, "sum")                                                                                            \
  X(TOKEN_MIN, NULL, "min")                                                                                            \
  X(TOKEN_MAX, NULL, "max")                                                                                            \
  X(TOKEN_LEN, NULL, "len")                                                                                            \
  X(TOKEN_EMPTY, NULL, "empty")                                                                                        \
  X(TOKEN_FULL, NULL, "full")                                                                                          \
  X(TOKEN_ASSERT, NULL, "assert")                                                                                      \
  X(TOKEN_IN, NULL, "in")

#define LEXER_ENUM(token, symbol, word) token,
enum token_kind {
  LEXER_SYMBOLS(LEXER_ENUM) LEXER_WORDS(LEXER_ENUM) TOKEN_NAME,
  TOKEN_NUMBER,
  TOKEN_TOO_LARGE, /* a number above INT64_MAX */
  TOKEN_UNKNOWN,   /* a character that begins no token */
  TOKEN_END
};
#undef LEXER_ENUM

struct token {
  enum token_kind kind;
  size_t begin, end; /* of the text */
  int64_t value;     /* TOKEN_NUMBER */
};

/* The token that begins at or after text[from]. */
struct token lex(const struct located_text *text, size_t from);

/* "'=='" and the like, for messages. TOKEN_NAME and the kinds below it in the list: NULL. */
const char *token_spelling(enum token_kind kind);

bool token_is_name(enum token_kind kind); /* TOKEN_NAME, or a contextual keyword */
/* A name with this spelling. */
bool token_is_word(const struct located_text *text, struct token token, const char *word);

bool is_name(const char *text);     /* a-z, A-Z or '_', then also digits ("_" alone is none) */
bool is_function(const char *text); /* a built-in function: `NAME(` never means another name */
bool is_reserved(const char *text); /* a reserved word */

#endif
