/* Parsers of Murphi: state and common parts. The first error of the syntax ends the parsing: the parser is then in
   panic, sees no token, and every loop ends. */
#ifndef FLOE_FRONTEND_MURPHI_PARSER_H
#define FLOE_FRONTEND_MURPHI_PARSER_H

#include "frontend/murphi/parse/murphi_lexer.h"
#include "frontend/murphi/parse/murphi_tree.h"

#include "model/language.h"

struct mu_parser {
  const struct source *source; /* the file that is read; included ones are later in its list */
  struct includer *includer;   /* NULL: nothing is included */
  floe_status status;          /* in panic: of an included file that cannot be read, or FLOE_OK */
  struct arena *arena;
  floe_log *log;
  struct name_table *names;
  struct mu_token token;
  source_at last_end; /* of the token before */
  unsigned nesting;   /* of expressions, statements and types */
  bool writes;        /* a statement since it was cleared may change a variable */
  bool calls;         /* the same for calls in expressions */
  bool extended;      /* the file has a union or a multiset */
  bool panic;
  source_at leading_zero; /* the first such number; NOWHERE: none */
};

#define MU_PUSH(p, list) ARENA_PUSH((p)->arena, (list)->items, (list)->n, (list)->cap)

#define MU_SYNTAX_ERROR(p, at, hint, ...)                                                                              \
  do {                                                                                                                 \
    if (!(p)->panic)                                                                                                   \
      diag_error((p)->log, (p)->source, (at), (hint), __VA_ARGS__);                                                    \
    (p)->panic = true;                                                                                                 \
  } while (0)

static inline bool mu_sees(const struct mu_parser *p, enum mu_token_kind kind) {
  return !p->panic && p->token.kind == kind;
}
/* `include "FILE"`; elsewhere this is a name. */
static inline bool mu_sees_include(const struct mu_parser *p) {
  return mu_sees(p, MU_NAME) && mu_is_include(p->source, p->token);
}
void mu_advance(struct mu_parser *p);
bool mu_accept(struct mu_parser *p, enum mu_token_kind kind);
void mu_expected(struct mu_parser *p, const char *what, const char *hint); /* "expected WHAT, found ..." */
void mu_expect(struct mu_parser *p, enum mu_token_kind kind);
/* `end`, or the word for this construct. */
void mu_expect_end(struct mu_parser *p, enum mu_token_kind word);
struct mu_name mu_parse_name(struct mu_parser *p, const char *what);
void mu_parse_names(struct mu_parser *p, const char *what, struct mu_names *out);
/* The text of the string at the parser's token. */
const char *mu_parse_string(struct mu_parser *p);
void mu_skip_semicolons(struct mu_parser *p);
/* Limits the recursion; each call that returns true is followed by mu_leave. */
bool mu_enter(struct mu_parser *p);
static inline void mu_leave(struct mu_parser *p) { p->nesting--; }

/* murphi_parse_expression.c */
const struct mu_expr *mu_parse_expression(struct mu_parser *p);
/* NAME with fields and indices. */
const struct mu_expr *mu_parse_designator(struct mu_parser *p);
struct mu_quantifier mu_parse_quantifier(struct mu_parser *p);
/* One or several, with `;` between them. */
void mu_parse_quantifiers(struct mu_parser *p, struct mu_quantifiers *out);
void mu_parse_arguments(struct mu_parser *p, struct mu_exprs *out);

/* murphi_parse_declaration.c */
const struct mu_type_tree *mu_parse_type(struct mu_parser *p);
bool mu_declaration_follows(const struct mu_parser *p);
void mu_parse_declarations(struct mu_parser *p, struct mu_declarations *out);
void mu_parse_parameters(struct mu_parser *p, struct mu_declarations *out);

/* murphi_parse_statement.c */
void mu_parse_aliases(struct mu_parser *p, struct mu_aliases *out);
void mu_parse_statements(struct mu_parser *p, struct mu_statements *out);

/* murphi_parse.c */
floe_status mu_parse(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                     const struct mu_file **out);
/* An expression, with the names of a file and further ones in `names`; NULL: an error was logged. */
const struct mu_expr *mu_parse_property(const struct source *source, struct arena *arena, floe_log *log,
                                        struct name_table *names);
bool mu_recognise(const char *text, size_t length);

#endif
