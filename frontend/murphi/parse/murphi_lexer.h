/* Tokens of Murphi. Words of the language are recognised in any case; names distinguish upper and lower case. */
#ifndef FLOE_FRONTEND_MURPHI_LEXER_H
#define FLOE_FRONTEND_MURPHI_LEXER_H

#include "core/diag.h"

#include <stdbool.h>

/* X(token, spelling, other spelling or NULL). Longer symbols stand before their beginnings. */
#define MU_SYMBOLS(X)                                                                                                  \
  X(MU_ARROW, "==>", NULL)                                                                                             \
  X(MU_DOTS, "..", NULL)                                                                                               \
  X(MU_BECOMES, ":=", "\xe2\x89\x94")                                                                                  \
  X(MU_IMPLIES, "->", "\xe2\x86\x92")                                                                                  \
  X(MU_SHL, "<<", NULL)                                                                                                \
  X(MU_SHR, ">>", NULL)                                                                                                \
  X(MU_LE, "<=", "\xe2\x89\xa4")                                                                                       \
  X(MU_GE, ">=", "\xe2\x89\xa5")                                                                                       \
  X(MU_NE, "!=", "\xe2\x89\xa0")                                                                                       \
  X(MU_EQ, "==", NULL)                                                                                                 \
  X(MU_AND, "&&", "\xe2\x88\xa7")                                                                                      \
  X(MU_OR, "||", "\xe2\x88\xa8")                                                                                       \
  X(MU_EQUALS, "=", NULL)                                                                                              \
  X(MU_AMPERSAND, "&", NULL)                                                                                           \
  X(MU_BAR, "|", NULL)                                                                                                 \
  X(MU_LT, "<", NULL)                                                                                                  \
  X(MU_GT, ">", NULL)                                                                                                  \
  X(MU_NOT, "!", "\xc2\xac")                                                                                           \
  X(MU_CARET, "^", NULL)                                                                                               \
  X(MU_TILDE, "~", NULL)                                                                                               \
  X(MU_PLUS, "+", NULL)                                                                                                \
  X(MU_MINUS, "-", "\xe2\x88\x92")                                                                                     \
  X(MU_STAR, "*", "\xc3\x97")                                                                                          \
  X(MU_SLASH, "/", "\xe2\x88\x95")                                                                                     \
  X(MU_DIVIDE, "\xc3\xb7", NULL)                                                                                       \
  X(MU_PERCENT, "%", NULL)                                                                                             \
  X(MU_QUESTION, "?", NULL)                                                                                            \
  X(MU_COLON, ":", NULL)                                                                                               \
  X(MU_SEMICOLON, ";", NULL)                                                                                           \
  X(MU_COMMA, ",", NULL)                                                                                               \
  X(MU_DOT, ".", NULL)                                                                                                 \
  X(MU_OPEN, "(", NULL)                                                                                                \
  X(MU_CLOSE, ")", NULL)                                                                                               \
  X(MU_OPEN_INDEX, "[", NULL)                                                                                          \
  X(MU_CLOSE_INDEX, "]", NULL)                                                                                         \
  X(MU_OPEN_SET, "{", NULL)                                                                                            \
  X(MU_CLOSE_SET, "}", NULL)

#define MU_WORDS(X)                                                                                                    \
  X(MU_W_ALIAS, "alias")                                                                                               \
  X(MU_W_ARRAY, "array")                                                                                               \
  X(MU_W_ASSERT, "assert")                                                                                             \
  X(MU_W_ASSUME, "assume")                                                                                             \
  X(MU_W_BEGIN, "begin")                                                                                               \
  X(MU_W_BOOLEAN, "boolean")                                                                                           \
  X(MU_W_BY, "by")                                                                                                     \
  X(MU_W_CASE, "case")                                                                                                 \
  X(MU_W_CHOOSE, "choose")                                                                                             \
  X(MU_W_CLEAR, "clear")                                                                                               \
  X(MU_W_CONST, "const")                                                                                               \
  X(MU_W_COVER, "cover")                                                                                               \
  X(MU_W_DO, "do")                                                                                                     \
  X(MU_W_ELSE, "else")                                                                                                 \
  X(MU_W_ELSIF, "elsif")                                                                                               \
  X(MU_W_END, "end")                                                                                                   \
  X(MU_W_ENDALIAS, "endalias")                                                                                         \
  X(MU_W_ENDCHOOSE, "endchoose")                                                                                       \
  X(MU_W_ENDEXISTS, "endexists")                                                                                       \
  X(MU_W_ENDFOR, "endfor")                                                                                             \
  X(MU_W_ENDFORALL, "endforall")                                                                                       \
  X(MU_W_ENDFUNCTION, "endfunction")                                                                                   \
  X(MU_W_ENDIF, "endif")                                                                                               \
  X(MU_W_ENDPROCEDURE, "endprocedure")                                                                                 \
  X(MU_W_ENDRECORD, "endrecord")                                                                                       \
  X(MU_W_ENDRULE, "endrule")                                                                                           \
  X(MU_W_ENDRULESET, "endruleset")                                                                                     \
  X(MU_W_ENDSTARTSTATE, "endstartstate")                                                                               \
  X(MU_W_ENDSWITCH, "endswitch")                                                                                       \
  X(MU_W_ENDWHILE, "endwhile")                                                                                         \
  X(MU_W_ENUM, "enum")                                                                                                 \
  X(MU_W_ERROR, "error")                                                                                               \
  X(MU_W_EXISTS, "exists")                                                                                             \
  X(MU_W_FALSE, "false")                                                                                               \
  X(MU_W_FOR, "for")                                                                                                   \
  X(MU_W_FORALL, "forall")                                                                                             \
  X(MU_W_FUNCTION, "function")                                                                                         \
  X(MU_W_IF, "if")                                                                                                     \
  X(MU_W_INVARIANT, "invariant")                                                                                       \
  X(MU_W_ISMEMBER, "ismember")                                                                                         \
  X(MU_W_ISUNDEFINED, "isundefined")                                                                                   \
  X(MU_W_LIVENESS, "liveness")                                                                                         \
  X(MU_W_MULTISET, "multiset")                                                                                         \
  X(MU_W_MULTISETADD, "multisetadd")                                                                                   \
  X(MU_W_MULTISETCOUNT, "multisetcount")                                                                               \
  X(MU_W_MULTISETREMOVE, "multisetremove")                                                                             \
  X(MU_W_MULTISETREMOVEPRED, "multisetremovepred")                                                                     \
  X(MU_W_OF, "of")                                                                                                     \
  X(MU_W_PROCEDURE, "procedure")                                                                                       \
  X(MU_W_PUT, "put")                                                                                                   \
  X(MU_W_REAL, "real")                                                                                                 \
  X(MU_W_RECORD, "record")                                                                                             \
  X(MU_W_RETURN, "return")                                                                                             \
  X(MU_W_RULE, "rule")                                                                                                 \
  X(MU_W_RULESET, "ruleset")                                                                                           \
  X(MU_W_SCALARSET, "scalarset")                                                                                       \
  X(MU_W_STARTSTATE, "startstate")                                                                                     \
  X(MU_W_SWITCH, "switch")                                                                                             \
  X(MU_W_THEN, "then")                                                                                                 \
  X(MU_W_TO, "to")                                                                                                     \
  X(MU_W_TRUE, "true")                                                                                                 \
  X(MU_W_TYPE, "type")                                                                                                 \
  X(MU_W_UNDEFINE, "undefine")                                                                                         \
  X(MU_W_UNION, "union")                                                                                               \
  X(MU_W_VAR, "var")                                                                                                   \
  X(MU_W_WHILE, "while")

#define MU_SYMBOL_ENUM(token, spelling, other) token,
#define MU_WORD_ENUM(token, spelling) token,
enum mu_token_kind {
  MU_SYMBOLS(MU_SYMBOL_ENUM) MU_WORDS(MU_WORD_ENUM) MU_NAME,
  MU_NUMBER,
  MU_STRING,
  MU_TOO_LARGE,    /* a number above INT64_MAX */
  MU_OPEN_COMMENT, /* a comment without an end */
  MU_OPEN_STRING,  /* a string without an end */
  MU_UNKNOWN,      /* a character that begins no token */
  MU_END_OF_FILE
};
#undef MU_SYMBOL_ENUM
#undef MU_WORD_ENUM

struct mu_token {
  enum mu_token_kind kind;
  source_at begin, end;
  int64_t value;     /* MU_NUMBER */
  unsigned quote;    /* MU_STRING: bytes of the quotation mark at its beginning, and at its end */
  bool leading_zero; /* MU_NUMBER: "010" */
};

/* The token at or after this position, behind white space and comments. */
struct mu_token mu_lex(const struct source *source, source_at from);
/* The token is the word `include` before a string. */
bool mu_is_include(const struct source *source, struct mu_token token);
/* "==>", "rule"; NULL: the kind has no spelling of its own. */
const char *mu_token_spelling(enum mu_token_kind kind);
static inline bool mu_is_word(enum mu_token_kind kind) { return MU_W_ALIAS <= kind && kind < MU_NAME; }
/* The position behind white space and comments; a comment without an end is none. */
source_at mu_skip(const struct source *source, source_at from);

#endif
