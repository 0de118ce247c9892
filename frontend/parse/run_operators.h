/* Temporal operators and functions, in texts of temporal properties. Their words are names everywhere else; so are G, F
   and X, and the words, where no operand follows them. SYN_NAME: the next token is no such operator. */
#ifndef FLOE_FRONTEND_PARSE_RUN_OPERATORS_H
#define FLOE_FRONTEND_PARSE_RUN_OPERATORS_H

#include "frontend/parse/lexer.h"
#include "frontend/parse/syntax.h"

/* Before an operand: always, eventually, next, or their symbols. *last: the last token of the operator. */
enum syntax_op run_prefix(const struct located_text *text, struct token token, struct token *last);
/* After an operand: until, weakuntil, release, or U, W, R: one token. */
enum syntax_op run_infix(const struct located_text *text, struct token token);
/* Before `(`: enabled or taken. */
enum syntax_op run_function(const struct located_text *text, struct token token);
/* After an operand: `leadsto` or -->. */
bool run_leadsto(const struct located_text *text, struct token token, struct token *last);

#endif
