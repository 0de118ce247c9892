/* Tokens of DVE files. */
#ifndef FLOE_FRONTEND_DVE_LEXER_H
#define FLOE_FRONTEND_DVE_LEXER_H

#include "core/diag.h"

#include <stdbool.h>

/* X(token, symbol, word): symbol and word are the same token. Longer symbols come before their prefixes. */
#define DVE_TOKENS(X)                                                                                                  \
  X(DVE_TOKEN_ARROW, "->", NULL)                                                                                       \
  X(DVE_TOKEN_WIDE_ARROW, "=>", NULL)                                                                                  \
  X(DVE_TOKEN_EQ, "==", NULL)                                                                                          \
  X(DVE_TOKEN_NE, "!=", NULL)                                                                                          \
  X(DVE_TOKEN_SHL, "<<", NULL)                                                                                         \
  X(DVE_TOKEN_SHR, ">>", NULL)                                                                                         \
  X(DVE_TOKEN_LE, "<=", NULL)                                                                                          \
  X(DVE_TOKEN_GE, ">=", NULL)                                                                                          \
  X(DVE_TOKEN_AND, "&&", "and")                                                                                        \
  X(DVE_TOKEN_OR, "||", "or")                                                                                          \
  X(DVE_TOKEN_LT, "<", NULL)                                                                                           \
  X(DVE_TOKEN_GT, ">", NULL)                                                                                           \
  X(DVE_TOKEN_ASSIGN, "=", NULL)                                                                                       \
  X(DVE_TOKEN_BITAND, "&", NULL)                                                                                       \
  X(DVE_TOKEN_BITOR, "|", NULL)                                                                                        \
  X(DVE_TOKEN_BITXOR, "^", NULL)                                                                                       \
  X(DVE_TOKEN_BITNOT, "~", NULL)                                                                                       \
  X(DVE_TOKEN_PLUS, "+", NULL)                                                                                         \
  X(DVE_TOKEN_MINUS, "-", NULL)                                                                                        \
  X(DVE_TOKEN_TIMES, "*", NULL)                                                                                        \
  X(DVE_TOKEN_DIVIDE, "/", NULL)                                                                                       \
  X(DVE_TOKEN_MODULO, "%", NULL)                                                                                       \
  X(DVE_TOKEN_SEND, "!", NULL)                                                                                         \
  X(DVE_TOKEN_RECEIVE, "?", NULL)                                                                                      \
  X(DVE_TOKEN_OPEN, "(", NULL)                                                                                         \
  X(DVE_TOKEN_CLOSE, ")", NULL)                                                                                        \
  X(DVE_TOKEN_OPEN_INDEX, "[", NULL)                                                                                   \
  X(DVE_TOKEN_CLOSE_INDEX, "]", NULL)                                                                                  \
  X(DVE_TOKEN_OPEN_BLOCK, "{", NULL)                                                                                   \
  X(DVE_TOKEN_CLOSE_BLOCK, "}", NULL)                                                                                  \
  X(DVE_TOKEN_COMMA, ",", NULL)                                                                                        \
  X(DVE_TOKEN_SEMICOLON, ";", NULL)                                                                                    \
  X(DVE_TOKEN_COLON, ":", NULL)                                                                                        \
  X(DVE_TOKEN_DOT, ".", NULL)                                                                                          \
  X(DVE_TOKEN_NOT, NULL, "not")                                                                                        \
  X(DVE_TOKEN_IMPLY, NULL, "imply")                                                                                    \
  X(DVE_TOKEN_TRUE, NULL, "true")                                                                                      \
  X(DVE_TOKEN_FALSE, NULL, "false")                                                                                    \
  X(DVE_TOKEN_CONST, NULL, "const")                                                                                    \
  X(DVE_TOKEN_BYTE, NULL, "byte")                                                                                      \
  X(DVE_TOKEN_INT, NULL, "int")                                                                                        \
  X(DVE_TOKEN_CHANNEL, NULL, "channel")                                                                                \
  X(DVE_TOKEN_PROCESS, NULL, "process")                                                                                \
  X(DVE_TOKEN_STATE, NULL, "state")                                                                                    \
  X(DVE_TOKEN_INIT, NULL, "init")                                                                                      \
  X(DVE_TOKEN_ACCEPT, NULL, "accept")                                                                                  \
  X(DVE_TOKEN_COMMIT, NULL, "commit")                                                                                  \
  X(DVE_TOKEN_ASSERT, NULL, "assert")                                                                                  \
  X(DVE_TOKEN_TRANS, NULL, "trans")                                                                                    \
  X(DVE_TOKEN_GUARD, NULL, "guard")                                                                                    \
  X(DVE_TOKEN_SYNC, NULL, "sync")                                                                                      \
  X(DVE_TOKEN_EFFECT, NULL, "effect")                                                                                  \
  X(DVE_TOKEN_SYSTEM, NULL, "system")                                                                                  \
  X(DVE_TOKEN_ASYNC, NULL, "async")                                                                                    \
  X(DVE_TOKEN_PROPERTY, NULL, "property")

#define DVE_TOKEN_ENUM(token, symbol, word) token,
enum dve_token_kind {
  DVE_TOKENS(DVE_TOKEN_ENUM) DVE_TOKEN_NAME,
  DVE_TOKEN_NUMBER,
  DVE_TOKEN_TOO_LARGE, /* a number above INT32_MAX */
  DVE_TOKEN_COMMENT,   /* a comment without an end */
  DVE_TOKEN_UNKNOWN,   /* a character that begins no token */
  DVE_TOKEN_END
};
#undef DVE_TOKEN_ENUM

struct dve_token {
  enum dve_token_kind kind;
  source_at begin, end;
  int64_t value; /* DVE_TOKEN_NUMBER */
};

/* The token at or after this position of the source, behind white space, comments and line continuations. */
struct dve_token dve_lex(const struct source *source, source_at from);

/* "->" and the like, for messages. DVE_TOKEN_NAME and the kinds below it in the list: NULL. */
const char *dve_token_spelling(enum dve_token_kind kind);
/* The token has this spelling; for words that are names elsewhere. */
bool dve_token_is(const struct source *source, const struct dve_token *token, const char *word);

/* The position behind white space and comments; a comment without an end is none. */
source_at dve_skip(const struct source *source, source_at from);

#endif
