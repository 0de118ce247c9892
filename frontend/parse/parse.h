/* Parsers of single texts: expressions, lists, ranges, selects, synchronisations, statements, definitions. They return
   NULL or FLOE_ERROR_MODEL after an error has been logged. */
#ifndef FLOE_FRONTEND_PARSE_PARSE_H
#define FLOE_FRONTEND_PARSE_PARSE_H

#include "frontend/parse/syntax.h"

struct syntax_expr *parse_expression(const struct parser_input *input);
/* The text of a property of this kind: FLOE_LTL, SYNTAX_KIND_EVENTUALLY (`p` means `eventually p`) or
   SYNTAX_KIND_LEADSTO (`p leadsto q`). Temporal operators have words that are no reserved words elsewhere. */
struct syntax_expr *parse_temporal(const struct parser_input *input, int kind);
/* An expression or `else`. */
void parse_guard(const struct parser_input *input, struct syntax_transition *out);
floe_status parse_expressions(const struct parser_input *input, struct syntax_exprs *out);
/* Expressions for the variable, or FIELD = EXPRESSION, ... for its fields. */
floe_status parse_initial(const struct parser_input *input, struct syntax_variable *out);
floe_status parse_names(const struct parser_input *input, struct syntax_enumeration *out);
floe_status parse_element_ranges(const struct parser_input *input, struct syntax_ranges *out);
floe_status parse_values(const struct parser_input *input, struct syntax_ranges *out);
floe_status parse_range(const struct parser_input *input, struct syntax_range *out);
floe_status parse_fields(const struct parser_input *input, struct syntax_ranges *out);     /* message */
floe_status parse_parameters(const struct parser_input *input, struct syntax_define *out); /* parameters */
floe_status parse_selects(const struct parser_input *input, struct syntax_transition *out);
floe_status parse_sync(const struct parser_input *input, bool send, struct syntax_transition *out);
floe_status parse_effects(const struct parser_input *input, struct syntax_transition *out); /* parse_effects.c */
floe_status parse_function(const struct parser_input *input, struct syntax_define *out);    /* parse_effects.c */
floe_status parse_definitions(const struct parser_input *input, struct syntax_definitions *out);

#endif
