/* Operators of runs, in texts of temporal properties. Their words are names everywhere else; so are G, F and X, and the
   words, where no operand follows them. SYN_NAME: the next token is no such operator. */
#ifndef FLOE_FRONTEND_PARSE_RUN_OPERATORS_H
#define FLOE_FRONTEND_PARSE_RUN_OPERATORS_H

#include "frontend/parse/parser.h"

/* Before an operand: always, eventually, next, or their symbols. */
enum syntax_op run_prefix(const struct parser *p);
void run_prefix_take(struct parser *p);
/* After an operand: until, weakuntil, release, or their letters, one token. */
enum syntax_op run_infix(const struct parser *p);
/* Takes `leadsto` or -->, if it is next. */
bool run_leadsto_take(struct parser *p);

#endif
