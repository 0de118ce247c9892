/* Parser of expressions, and helpers for the other parsers (parse.c); callers use parse.h.

   The first error is logged and makes the parser fail. From then on it sees only the end of its text, so every loop
   ends, and its results must not be used. Callers need not check each step. */
#ifndef FLOE_FRONTEND_PARSE_PARSER_H
#define FLOE_FRONTEND_PARSE_PARSER_H

#include "frontend/parse/lexer.h"
#include "frontend/parse/syntax.h"

struct parser {
  const struct parser_input *input;
  struct token token; /* the next one */
  unsigned nesting;
  bool failed;
  bool in_function; /* statements are those of a function */
  bool temporal;    /* temporal operators are operators (run_operators.h) */
};

void parser_init(struct parser *p, const struct parser_input *input);
/* Expects the end of the text; `what`: what could stand there otherwise, for the message. */
floe_status parser_finish(struct parser *p, const char *what);

source_at parser_place(const struct parser *p, size_t index); /* of a byte of the text */
source_at parser_at(const struct parser *p);                  /* of the next token */

void parser_fail(struct parser *p, source_at at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Fails with "expected WHAT, found TOKEN". */
void parser_expected(struct parser *p, const char *what);

void parser_advance(struct parser *p);
bool parser_accept(struct parser *p, enum token_kind kind);
void parser_expect(struct parser *p, enum token_kind kind);
struct syntax_name parser_name(struct parser *p);
bool parser_is_call(const struct parser *p); /* the token after the next is '(' */

struct syntax_expr *parser_expression(struct parser *p);
struct syntax_expr *parser_binary(struct parser *p, enum syntax_op op, source_at at, struct syntax_expr *a,
                                  struct syntax_expr *b);
struct syntax_expr *parser_prefixed(struct parser *p, enum syntax_op op, source_at at, struct syntax_expr *a);
struct syntax_expr *parser_number(struct parser *p, int64_t value); /* at the next token */
/* NAME or NAME[e]. */
struct syntax_expr *parser_channel(struct parser *p);
/* A variable or a part of it, also of a process: NAME, then any number of [e] and .NAME. */
struct syntax_expr *parser_target(struct parser *p);
/* lo..hi, or, if `process`, the name of a process. */
struct syntax_range parser_range(struct parser *p, bool process);

#endif
