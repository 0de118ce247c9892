/* Parsers of Promela: state and common parts. The first error of the syntax ends the parsing: the parser is then in
   panic, sees no token, and every loop ends. */
#ifndef FLOE_FRONTEND_PROMELA_PARSER_H
#define FLOE_FRONTEND_PROMELA_PARSER_H

#include "frontend/promela/parse/promela_preprocess.h"
#include "frontend/promela/parse/promela_tree.h"

struct pr_parser {
  const struct source *source; /* the first of the list */
  const struct pr_token *tokens;
  size_t next; /* number of the token that is seen */
  struct arena *arena;
  floe_log *log;
  struct pr_model *model;

  uint8_t *meanings; /* pr_meaning of names, by number */
  size_t meaning_cap;
  unsigned nesting; /* of expressions and statements */
  unsigned inlines; /* calls of inlines around the token that is seen */
  bool in_formula;  /* in `ltl` */
  bool panic;
};

/* PR_IS_PROCTYPE: of the whole text, PR_IS_PROCTYPE_ABOVE: that began before the token that is seen. */
enum pr_meaning { PR_IS_PROCTYPE = 1, PR_IS_TYPEDEF = 2, PR_IS_PROCTYPE_ABOVE = 4 };

#define PR_PUSH(p, list) ARENA_PUSH((p)->arena, (list)->items, (list)->n, (list)->cap)
#define PR_SYNTAX_ERROR(p, at, hint, ...)                                                                              \
  do {                                                                                                                 \
    if (!(p)->panic)                                                                                                   \
      diag_error((p)->log, (p)->source, (at), (hint), __VA_ARGS__);                                                    \
    (p)->panic = true;                                                                                                 \
  } while (0)

static inline const struct pr_token *pr_token(const struct pr_parser *p) { return &p->tokens[p->next]; }
static inline bool pr_sees(const struct pr_parser *p, enum pr_token_kind kind) {
  return !p->panic && p->tokens[p->next].kind == kind;
}
/* The token behind the one that is seen. */
static inline bool pr_sees_next(const struct pr_parser *p, enum pr_token_kind kind) {
  return !p->panic && p->tokens[p->next].kind != PR_END && p->tokens[p->next + 1].kind == kind;
}
void pr_set_meaning(struct pr_parser *p, size_t name, enum pr_meaning meaning);
static inline bool pr_means(const struct pr_parser *p, size_t name, enum pr_meaning meaning) {
  return name < p->meaning_cap && (p->meanings[name] & meaning);
}
void pr_advance(struct pr_parser *p);
bool pr_accept(struct pr_parser *p, enum pr_token_kind kind);
void pr_expected(struct pr_parser *p, const char *what, const char *hint); /* "expected WHAT, found ..." */
void pr_expect(struct pr_parser *p, enum pr_token_kind kind);
struct pr_name pr_parse_name(struct pr_parser *p, const char *what);
static inline struct pr_name pr_no_name(source_at at) { return (struct pr_name){PR_NO_NAME, at}; }
/* Limits the recursion; each call that returns true is followed by pr_leave. */
bool pr_enter(struct pr_parser *p);
static inline void pr_leave(struct pr_parser *p) { p->nesting--; }
/* Refuses embedded C. */
void pr_refuse_c(struct pr_parser *p);

/* promela_parse_expression.c */
const struct pr_expr *pr_parse_expression(struct pr_parser *p);
/* NAME with indices and fields. */
const struct pr_expr *pr_parse_variable(struct pr_parser *p);
void pr_parse_arguments(struct pr_parser *p, enum pr_token_kind end, struct pr_exprs *out);
/* What is sent: a, b or a(b). */
void pr_parse_message(struct pr_parser *p, struct pr_exprs *out);
/* What is received, the same of constants, variables, eval(...). */
void pr_parse_pattern(struct pr_parser *p, struct pr_exprs *out);

/* promela_parse_declaration.c */
bool pr_declaration_follows(const struct pr_parser *p);
/* One type with its variables. `initial`: values may follow. */
void pr_parse_variables(struct pr_parser *p, bool initial, struct pr_variables *out);
void pr_parse_mtype(struct pr_parser *p);
void pr_parse_typedef(struct pr_parser *p);

/* promela_parse_statement.c: `{` statements `}` */
void pr_parse_body(struct pr_parser *p, struct pr_statements *out);
void pr_parse_exclusive(struct pr_parser *p, struct pr_statement *s);

/* promela_undeclared.c: sets model->undeclared. */
void pr_list_undeclared(struct pr_model *model, struct arena *arena);
/* Sets Spin's numbers of all statements, and model->unnumbered. */
void pr_number_statements(struct pr_model *model);

/* promela_parse.c */
floe_status pr_parse(const struct source *source, struct includer *includer, const struct pr_givens *givens,
                     struct arena *arena, floe_log *log, const struct pr_model **out);
bool pr_recognise(const char *text, size_t length);
/* The text of tokens first..last-1, on one line. */
const char *pr_text(const struct pr_model *model, size_t first, size_t last, struct arena *arena);

#endif
