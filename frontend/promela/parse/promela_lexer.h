/* Tokens of Promela and of its preprocessor. */
#ifndef FLOE_FRONTEND_PROMELA_LEXER_H
#define FLOE_FRONTEND_PROMELA_LEXER_H

#include "core/diag.h"

#include <stdbool.h>

/* X(token, spelling). Longer symbols stand before their beginnings. */
#define PR_SYMBOLS(X)                                                                                                  \
  X(PR_EQUIVALENT, "<->")                                                                                              \
  X(PR_SHL, "<<")                                                                                                      \
  X(PR_SHR, ">>")                                                                                                      \
  X(PR_LE, "<=")                                                                                                       \
  X(PR_GE, ">=")                                                                                                       \
  X(PR_EQ, "==")                                                                                                       \
  X(PR_NE, "!=")                                                                                                       \
  X(PR_AND, "&&")                                                                                                      \
  X(PR_OR, "||")                                                                                                       \
  X(PR_ARROW, "->")                                                                                                    \
  X(PR_INCREMENT, "++")                                                                                                \
  X(PR_DECREMENT, "--")                                                                                                \
  X(PR_SORTED_SEND, "!!")                                                                                              \
  X(PR_RANDOM_RECEIVE, "??")                                                                                           \
  X(PR_OPTION, "::")                                                                                                   \
  X(PR_DOTS, "..")                                                                                                     \
  X(PR_PASTE, "##")                                                                                                    \
  X(PR_HASH, "#")                                                                                                      \
  X(PR_ASSIGN, "=")                                                                                                    \
  X(PR_LT, "<")                                                                                                        \
  X(PR_GT, ">")                                                                                                        \
  X(PR_NOT, "!")                                                                                                       \
  X(PR_QUESTION, "?")                                                                                                  \
  X(PR_TILDE, "~")                                                                                                     \
  X(PR_AMPERSAND, "&")                                                                                                 \
  X(PR_BAR, "|")                                                                                                       \
  X(PR_CARET, "^")                                                                                                     \
  X(PR_PLUS, "+")                                                                                                      \
  X(PR_MINUS, "-")                                                                                                     \
  X(PR_STAR, "*")                                                                                                      \
  X(PR_SLASH, "/")                                                                                                     \
  X(PR_PERCENT, "%")                                                                                                   \
  X(PR_COLON, ":")                                                                                                     \
  X(PR_SEMICOLON, ";")                                                                                                 \
  X(PR_COMMA, ",")                                                                                                     \
  X(PR_DOT, ".")                                                                                                       \
  X(PR_AT, "@")                                                                                                        \
  X(PR_OPEN, "(")                                                                                                      \
  X(PR_CLOSE, ")")                                                                                                     \
  X(PR_OPEN_INDEX, "[")                                                                                                \
  X(PR_CLOSE_INDEX, "]")                                                                                               \
  X(PR_OPEN_BLOCK, "{")                                                                                                \
  X(PR_CLOSE_BLOCK, "}")

/* Words of the language. */
#define PR_WORDS(X)                                                                                                    \
  X(PR_W_ACTIVE, "active")                                                                                             \
  X(PR_W_ASSERT, "assert")                                                                                             \
  X(PR_W_ATOMIC, "atomic")                                                                                             \
  X(PR_W_BIT, "bit")                                                                                                   \
  X(PR_W_BOOL, "bool")                                                                                                 \
  X(PR_W_BREAK, "break")                                                                                               \
  X(PR_W_BYTE, "byte")                                                                                                 \
  X(PR_W_C_CODE, "c_code")                                                                                             \
  X(PR_W_C_DECL, "c_decl")                                                                                             \
  X(PR_W_C_EXPR, "c_expr")                                                                                             \
  X(PR_W_C_STATE, "c_state")                                                                                           \
  X(PR_W_C_TRACK, "c_track")                                                                                           \
  X(PR_W_CHAN, "chan")                                                                                                 \
  X(PR_W_D_PROCTYPE, "D_proctype")                                                                                     \
  X(PR_W_D_STEP, "d_step")                                                                                             \
  X(PR_W_DO, "do")                                                                                                     \
  X(PR_W_ELSE, "else")                                                                                                 \
  X(PR_W_EMPTY, "empty")                                                                                               \
  X(PR_W_ENABLED, "enabled")                                                                                           \
  X(PR_W_EVAL, "eval")                                                                                                 \
  X(PR_W_FALSE, "false")                                                                                               \
  X(PR_W_FI, "fi")                                                                                                     \
  X(PR_W_FOR, "for")                                                                                                   \
  X(PR_W_FULL, "full")                                                                                                 \
  X(PR_W_GET_PRIORITY, "get_priority")                                                                                 \
  X(PR_W_GOTO, "goto")                                                                                                 \
  X(PR_W_HIDDEN, "hidden")                                                                                             \
  X(PR_W_IF, "if")                                                                                                     \
  X(PR_W_INIT, "init")                                                                                                 \
  X(PR_W_INLINE, "inline")                                                                                             \
  X(PR_W_INT, "int")                                                                                                   \
  X(PR_W_LEN, "len")                                                                                                   \
  X(PR_W_LOCAL, "local")                                                                                               \
  X(PR_W_LTL, "ltl")                                                                                                   \
  X(PR_W_MTYPE, "mtype")                                                                                               \
  X(PR_W_NEMPTY, "nempty")                                                                                             \
  X(PR_W_NEVER, "never")                                                                                               \
  X(PR_W_NFULL, "nfull")                                                                                               \
  X(PR_W_NOTRACE, "notrace")                                                                                           \
  X(PR_W_NP, "np_")                                                                                                    \
  X(PR_W_OD, "od")                                                                                                     \
  X(PR_W_OF, "of")                                                                                                     \
  X(PR_W_PC_VALUE, "pc_value")                                                                                         \
  X(PR_W_PID, "pid")                                                                                                   \
  X(PR_W_PRINTF, "printf")                                                                                             \
  X(PR_W_PRINTM, "printm")                                                                                             \
  X(PR_W_PRIORITY, "priority")                                                                                         \
  X(PR_W_PROCTYPE, "proctype")                                                                                         \
  X(PR_W_PROVIDED, "provided")                                                                                         \
  X(PR_W_RUN, "run")                                                                                                   \
  X(PR_W_SELECT, "select")                                                                                             \
  X(PR_W_SET_PRIORITY, "set_priority")                                                                                 \
  X(PR_W_SHORT, "short")                                                                                               \
  X(PR_W_SHOW, "show")                                                                                                 \
  X(PR_W_SKIP, "skip")                                                                                                 \
  X(PR_W_TIMEOUT, "timeout")                                                                                           \
  X(PR_W_TRACE, "trace")                                                                                               \
  X(PR_W_TRUE, "true")                                                                                                 \
  X(PR_W_TYPEDEF, "typedef")                                                                                           \
  X(PR_W_UNLESS, "unless")                                                                                             \
  X(PR_W_UNSIGNED, "unsigned")                                                                                         \
  X(PR_W_XR, "xr")                                                                                                     \
  X(PR_W_XS, "xs")

#define PR_SYMBOL_TOKEN(token, text) token,
#define PR_WORD_TOKEN(token, text) token,
enum pr_token_kind {
  PR_SYMBOLS(PR_SYMBOL_TOKEN) PR_WORDS(PR_WORD_TOKEN) PR_NAME,
  PR_NUMBER,
  PR_STRING,
  PR_TOO_LARGE,    /* a number beyond 64 bits */
  PR_OPEN_STRING,  /* without an end */
  PR_OPEN_COMMENT, /* the same */
  PR_UNKNOWN,
  PR_END
};
#undef PR_SYMBOL_TOKEN
#undef PR_WORD_TOKEN

struct pr_token {
  enum pr_token_kind kind;
  bool new_line; /* a line begins between the token before and this one */
  bool spaced;   /* blanks or comments stand before it */
  source_at begin, end;
  int64_t value;    /* PR_NUMBER, also 'c' */
  const char *text; /* spelling; not set by pr_lex */
  bool inlined;     /* PR_OPEN_BLOCK: before the text of an inline */
  uint32_t macro;   /* PR_NUMBER: the macro with this number as its text, plus 1; 0: none */
};

struct pr_tokens {
  struct pr_token *items; /* the last one is PR_END */
  size_t n, cap;
};

/* The token at or after `from`; `new_line` is set at the beginning of the source, too. */
struct pr_token pr_lex(const struct source *source, source_at from);
/* Spelling of a symbol or word; NULL: other tokens. */
const char *pr_token_spelling(enum pr_token_kind kind);
/* How strongly a binary operator of Promela and of its preprocessor binds: 2 (the weakest) to 12, without 4, which is
   that of U, W and V in formulas; 0: it is none. */
unsigned pr_binary_level(enum pr_token_kind kind);
static inline bool pr_is_word(enum pr_token_kind kind) { return kind >= PR_W_ACTIVE && kind <= PR_W_XS; }
/* It can be the name of a macro. */
static inline bool pr_is_nameable(const struct pr_token *t) { return t->kind == PR_NAME || pr_is_word(t->kind); }

#endif
